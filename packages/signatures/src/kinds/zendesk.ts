import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

export const zendesk: SignedKind = {
  ...hmacScheme({
    header: 'x-zendesk-webhook-signature',
    encoding: 'base64',
    template: '{timestamp}{body}',
    timestampHeader: 'x-zendesk-webhook-signature-timestamp',
    writeTime: (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
  }),
  maker: 'Zendesk',
  page: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
  secret: textSecret({ isOurs: false }),
  // The id of an invocation, which all its attempts share; `x-zendesk-webhook-id` is that of the webhook itself:
  // https://developer.zendesk.com/documentation/webhooks/anatomy-of-a-webhook-request
  repeatKey: 'delivery.headers["x-zendesk-webhook-invocation-id"]',
  setup: [
    {
      text: 'In the Admin Center, open Apps and integrations, Webhooks, and choose Create webhook. Select Zendesk events (this choice cannot be changed later), then select the events.',
    },
    { text: 'Endpoint URL', shows: 'url' },
    { text: 'The request method is POST, and the request format JSON. Create the webhook.' },
    { text: 'Open the webhook and choose Reveal secret.', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    headers: { 'x-zendesk-webhook-id': '01F1KRFQ6BG29CNWFR60NK5FNY', 'x-zendesk-webhook-invocation-id': id },
    body: {
      id,
      type: 'zen:event-type:ticket.created',
      time: '2026-01-31T09:30:00Z',
      subject: 'zen:ticket:42',
      detail: { id: '42', subject: 'The sign-in page is blank', priority: 'NORMAL', status: 'NEW' },
    },
  }),
};
