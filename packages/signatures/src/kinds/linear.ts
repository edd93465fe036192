import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Linear. The timestamp in its body is not checked. Copies of a post are recognized by their bytes. */
export const linear: SignedKind = {
  ...hmacScheme({ header: 'linear-signature' }),
  maker: 'Linear',
  page: 'https://linear.app/developers/webhooks',
  secret: textSecret({ isOurs: false, mistakes: [[/^lin_(api|oauth)_/, 'an API key of Linear']] }),
  repeatKey: 'delivery.headers["linear-delivery"]',
  setup: [
    { text: 'In Linear, open Settings, Administration, API, and choose New webhook.' },
    { text: 'URL', shows: 'url' },
    { text: 'Choose the data change events, and choose Create webhook.' },
    { text: 'Open the webhook and copy its signing secret (lin_wh_…).', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    headers: { 'linear-delivery': id, 'linear-event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      actor: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', type: 'user', name: 'Ada Lovelace' },
      createdAt: '2026-01-31T09:30:00.000Z',
      url: 'https://linear.app/acme/issue/WEB-1/sign-in-page',
      data: { id, identifier: 'WEB-1', title: 'The sign-in page is blank', priority: 2, state: { name: 'Todo' } },
      webhookTimestamp: 1_700_000_000_000,
    },
  }),
};
