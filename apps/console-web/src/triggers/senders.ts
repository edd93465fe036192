import type { Sender } from '../api/types.ts';

const names: Record<string, string> = {
  'standard-webhooks': 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  shopify: 'Shopify',
  slack: 'Slack',
  hubspot: 'HubSpot',
  hmac: 'another sender (HMAC)',
};

export function senderName(kind: string): string {
  return names[kind] ?? kind;
}

/** Explains the secret of a new trigger: some senders show theirs only once they have the URL. */
export function newSecretHint(sender: Sender): string {
  if (!sender.makes_secret) return secretHint(sender);
  return `${senderName(sender.kind)} makes it. If it needs the URL first, leave this empty and enter it in the next step.`;
}

/** Explains the secret of a sender. */
export function secretHint({ makes_secret, secret_rule }: Sender): string {
  return makes_secret
    ? `The sender made it and shows it. ${secret_rule}`
    : `Leave it empty, and one is made and shown once. ${secret_rule}`;
}

export const usualRepeatKey = 'the headers Idempotency-Key and webhook-id';
