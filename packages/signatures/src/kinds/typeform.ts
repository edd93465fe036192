import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

export const typeform: SignedKind = {
  ...hmacScheme({ header: 'typeform-signature', encoding: 'base64', prefix: 'sha256=' }),
  maker: 'Typeform',
  page: 'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
  secret: textSecret({ isOurs: true, mistakes: [[/^tfp_/, 'a personal access token']] }),
  repeatKey: 'payload.event_id',
  setup: [
    { text: 'Open your form. Open Connect, Webhooks, and choose Add a webhook.' },
    { text: 'Endpoint', shows: 'url' },
    { text: 'Choose Edit. Secret', shows: 'secret' },
    { text: 'Save the changes and turn the webhook on. Then open View deliveries and choose Send test request.' },
  ],
  sample: (id) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        token: id,
        submitted_at: '2026-01-31T09:30:00Z',
        definition: {
          id: 'lT4Z3j',
          title: 'Talk to sales',
          fields: [
            { id: 'DlXFaesGBpoF', type: 'short_text', ref: 'first_name', title: 'First name' },
            { id: 'RUqkXSeXBXSd', type: 'short_text', ref: 'last_name', title: 'Last name' },
            { id: 'SMEUb7VJz92Q', type: 'email', ref: 'email', title: 'Your email?' },
          ],
        },
        answers: [
          { type: 'text', text: 'Ada', field: { id: 'DlXFaesGBpoF', type: 'short_text', ref: 'first_name' } },
          { type: 'text', text: 'Lovelace', field: { id: 'RUqkXSeXBXSd', type: 'short_text', ref: 'last_name' } },
          { type: 'email', email: 'ada@example.com', field: { id: 'SMEUb7VJz92Q', type: 'email', ref: 'email' } },
        ],
      },
    },
  }),
};
