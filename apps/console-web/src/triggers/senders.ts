import type { Sender } from '../api/types.ts';

const names: Record<string, string> = {
  'standard-webhooks': 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  shopify: 'Shopify',
  slack: 'Slack',
  hubspot: 'HubSpot',
  meta: 'Meta',
  zoom: 'Zoom',
  calendly: 'Calendly',
  paddle: 'Paddle',
  typeform: 'Typeform',
  linear: 'Linear',
  intercom: 'Intercom',
  zendesk: 'Zendesk',
  hmac: 'Custom HMAC',
  basic: 'Basic authentication',
  bearer: 'Bearer token',
  header: 'Secret header',
  query: 'Secret in the URL',
};

export function senderName(kind: string): string {
  return names[kind] ?? kind;
}

const unsigned = new Set(['basic', 'bearer', 'header', 'query']);

/** Returns true for a kind of sender that signs, so that its secret is kept encrypted. */
export const isSigning = (kind: string | null) => kind !== null && !unsigned.has(kind);

/** Names how senders of this kind prove themselves. */
export function proofName(kind: string): string {
  return isSigning(kind) ? `${senderName(kind)} signature` : senderName(kind);
}

/** Returns true for a kind that this page can set up: it shows the options of `hmac` only, and no verify token. */
export function isOffered({ kind, has_options, has_verify_token }: Sender): boolean {
  return kind === 'hmac' || (!has_options && !has_verify_token);
}

/** Explains the secret of a new trigger: some senders show theirs only once they have the URL. */
export function newSecretHint(sender: Sender): string {
  if (!sender.makes_secret) return secretHint(sender);
  return `${senderName(sender.kind)} creates it. If it needs the URL first, leave this empty and enter the secret in the next step.`;
}

export function secretHint({ makes_secret, secret_rule }: Sender): string {
  return makes_secret
    ? `Copy it from the sender. ${secret_rule}`
    : `Leave this empty to generate one, which is shown once. ${secret_rule}`;
}

export const usualRepeatKey = 'Header Idempotency-Key or webhook-id';
