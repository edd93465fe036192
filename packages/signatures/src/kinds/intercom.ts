import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** Intercom. The secret is the app's client secret. The maker's page says that a HEAD request validates the URL. */
export const intercom: SignedKind = {
  ...hmacScheme({ header: 'x-hub-signature', algorithm: 'sha1', prefix: 'sha1=' }),
  maker: 'Intercom',
  page: 'https://developers.intercom.com/docs/webhooks/setting-up-webhooks',
  secret: textSecret({ isOurs: false, mistakes: [[/^dG9r/, 'an access token of Intercom']] }),
  repeatKey: 'payload.id',
  challenge: { by: 'head' },
  setup: [
    {
      text: 'In the Developer Hub, open your app. The client secret is under Basic information.',
      shows: 'sender_secret',
    },
    { text: 'Under Configure, open Webhooks. Endpoint URL', shows: 'url' },
    { text: 'Choose the topics, and choose Save. Intercom checks the URL at once.' },
  ],
  sample: (id) => ({
    body: {
      type: 'notification_event',
      id: `notif_${id}`,
      topic: 'contact.user.created',
      app_id: 'a86dr8yl',
      data: {
        type: 'notification_event_data',
        item: {
          type: 'contact',
          id: '530370b477ad7120001d',
          role: 'user',
          name: 'Ada Lovelace',
          email: 'ada@example.com',
          phone: '+442079460000',
        },
      },
    },
  }),
};
