import type { Sender } from '../api/types.ts';

const names: Record<string, string> = {
  'standard-webhooks': 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  shopify: 'Shopify',
  slack: 'Slack',
  hubspot: 'HubSpot',
  hmac: 'Custom HMAC',
};

export function senderName(kind: string): string {
  return names[kind] ?? kind;
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
