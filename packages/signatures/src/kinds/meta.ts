import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Meta: Facebook, Instagram, WhatsApp. The secret is the app secret. */
export const meta: SignedKind = {
  ...hmacScheme({ header: 'x-hub-signature-256', prefix: 'sha256=' }),
  maker: 'Meta',
  page: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
  secret: textSecret({ isOurs: false, mistakes: [[/^EAA/, 'an access token of Meta']] }),
  repeatKey: null,
  challenge: { by: 'get' },
  setup: [
    {
      text: 'At developers.facebook.com/apps, open your app. The app secret is under App settings, Basic.',
      shows: 'sender_secret',
    },
    { text: 'Open Webhooks, choose the object, and choose Subscribe to this object. Callback URL', shows: 'url' },
    { text: 'Verify token', shows: 'verify_token' },
    { text: 'Choose Verify and save. Meta checks the URL at once. Then subscribe to fields.' },
  ],
  sample: (id) => ({
    body: {
      object: 'page',
      entry: [
        {
          id: '1067280970047460',
          time: 1_700_000_000,
          changes: [
            {
              field: 'leadgen',
              value: { leadgen_id: id, form_id: '123', page_id: '1067280970047460', created_time: 1_700_000_000 },
            },
          ],
        },
      ],
    },
  }),
};
