import { createHmac, type KeyObject } from 'node:crypto';
import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

const tokenCharactersMax = 1_000;

/** Zoom. The secret is the app's secret token. */
export const zoom: SignedKind = {
  ...hmacScheme({
    header: 'x-zm-signature',
    prefix: 'v0=',
    template: 'v0:{timestamp}:{body}',
    timestampHeader: 'x-zm-request-timestamp',
  }),
  maker: 'Zoom',
  page: 'https://developers.zoom.us/docs/api/webhooks/',
  secret: textSecret({ isOurs: false }),
  repeatKey: 'delivery.headers["x-zm-trackingid"]',
  challenge: { by: 'post', answer: answerValidation },
  setup: [
    {
      text: 'At marketplace.zoom.us, open your app. The secret token is under Features, Access.',
      shows: 'sender_secret',
    },
    {
      text: 'Under General Features, turn on Event Subscriptions, choose Add New Event Subscription, and add the events. Event notification endpoint URL',
      shows: 'url',
    },
    { text: 'Choose Validate, then Save. Zoom checks the URL again every 72 hours.' },
  ],
  sample: (id) => ({
    headers: { 'x-zm-trackingid': `v=2.0;clid=us;rid=WEB_${id}` },
    body: {
      event: 'meeting.registration_created',
      event_ts: 1_700_000_000_000,
      payload: {
        account_id: 'AAAAAABBBB',
        object: {
          id: 1_234_567_890,
          uuid: id,
          topic: 'Product demo',
          host_id: 'x1yCzABCDEfg23HiJKl4mN',
          registrant: {
            id,
            email: 'ada@example.com',
            first_name: 'Ada',
            last_name: 'Lovelace',
            org: 'Example Robotics',
            job_title: 'Head of Engines',
            phone: '+442079460000',
            status: 'approved',
          },
        },
      },
    },
  }),
};

/**
 * Signs the token of `endpoint.url_validation`. Refuses a token that looks like a text that Zoom signs, since the
 * response would contain the signature of a forged post.
 */
function answerValidation(payload: object, key: KeyObject): object | undefined {
  const { event, payload: inner } = payload as { event?: unknown; payload?: { plainToken?: unknown } | null };
  const plainToken = event === 'endpoint.url_validation' ? inner?.plainToken : undefined;
  if (typeof plainToken !== 'string' || plainToken.startsWith('v0:')) return undefined;
  if (plainToken.length > tokenCharactersMax) return undefined;
  return { plainToken, encryptedToken: createHmac('sha256', key).update(plainToken).digest('hex') };
}
