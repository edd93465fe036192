import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Calendly, which signs like Stripe but uses another header. */
export const calendly: SignedKind = {
  ...hmacScheme({
    header: 'calendly-webhook-signature',
    template: '{timestamp}.{body}',
    timePart: 't',
    signaturePart: 'v1',
  }),
  maker: 'Calendly',
  page: 'https://developer.calendly.com/api-docs/overview/webhooks/webhook-signatures',
  secret: textSecret({ isOurs: true, mistakes: [[/^eyJ/, 'a personal access token']] }),
  repeatKey: null,
  setup: [
    {
      text: "Create a subscription with Calendly's API and a personal access token: POST https://api.calendly.com/webhook_subscriptions. GET https://api.calendly.com/users/me shows your organization.",
    },
    { text: 'organization: the URI of your organization. scope', value: 'organization' },
    { text: 'url', shows: 'url' },
    { text: 'signing_key', shows: 'secret' },
    { text: 'events', value: '["invitee.created", "invitee.canceled"]' },
    { text: 'If an OAuth app of Calendly creates the key:', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    body: {
      event: 'invitee.created',
      created_at: '2026-01-31T09:30:00.000000Z',
      created_by: 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA',
      payload: {
        uri: `https://api.calendly.com/scheduled_events/AAAAAAAAAAAAAAAA/invitees/${id}`,
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        status: 'active',
        scheduled_event: { name: 'Product demo', start_time: '2026-02-02T09:30:00.000000Z' },
      },
    },
  }),
};
