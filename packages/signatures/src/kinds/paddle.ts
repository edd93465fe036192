import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Paddle Billing. The header has a second `h1` while a secret is rotated. */
export const paddle: SignedKind = {
  ...hmacScheme({
    header: 'paddle-signature',
    template: '{timestamp}:{body}',
    timePart: 'ts',
    signaturePart: 'h1',
    separator: ';',
  }),
  maker: 'Paddle',
  page: 'https://developer.paddle.com/webhooks/about/signature-verification',
  secret: textSecret({
    isOurs: false,
    mistakes: [
      [/^pdl_(live|sdbx)_apikey_/, 'an API key of Paddle'],
      [/^(live|test)_[0-9a-f]{20}/, 'a client-side token of Paddle'],
      [/^ntfset_/, 'the id of a notification destination'],
    ],
  }),
  repeatKey: 'payload.event_id',
  setup: [
    { text: 'In Paddle, open Developer tools, Notifications, and choose New destination.' },
    { text: 'Notification type', value: 'Webhook' },
    { text: 'URL', shows: 'url' },
    {
      text: 'Choose the events, then choose Save destination. Edit destination shows the secret key (pdl_ntfset_…).',
      shows: 'sender_secret',
    },
  ],
  sample: (id) => ({
    body: {
      event_id: `evt_${id}`,
      event_type: 'transaction.completed',
      occurred_at: '2026-01-31T09:30:00.000000Z',
      notification_id: `ntf_${id}`,
      data: {
        id: 'txn_01h84g59djkdevwqpewsvxx2m3',
        status: 'completed',
        customer_id: 'ctm_01h84cjfwmdph1k8kgsyjt3k7g',
        currency_code: 'USD',
        details: { totals: { total: '4900', grand_total: '4900' } },
        custom_data: { email: 'ada@example.com' },
      },
    },
  }),
};
