import { decodeDigest, readUnixTime } from '../encodings.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

/** The only percent-encoded characters that HubSpot decodes in a URL before it signs the URL. */
const decoded = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** HubSpot, version 3, which also signs the URL. The secret is the app's client secret. */
export const hubspot: SignedKind = {
  proof: 'signature',
  algorithm: 'sha256',
  encoding: 'base64',
  families: [['x-hubspot-signature-v3', 'x-hubspot-request-timestamp']],
  parseSignature: ([value = '', timestamp = '']) => {
    const signature = decodeDigest(value, 'sha256', 'base64');
    const sentAtMs = readUnixTime(timestamp, 1);
    return signature && sentAtMs !== undefined ? { signatures: [signature], timestamp, sentAtMs } : undefined;
  },
  messages: ({ uris, body }, { timestamp }) =>
    uris().map((uri) => [`POST${uri.replaceAll(decoded, decodeURIComponent)}`, body, timestamp!]),
  formatSignature: (signature, { timestamp }) => [signature, timestamp!],
  writeTime: String,
  maker: 'HubSpot',
  page: 'https://developers.hubspot.com/docs/guides/apps/authentication/validating-requests',
  secret: textSecret({ isOurs: false, mistakes: [[/^pat-[a-z]{2}\d-/, 'an access token of a private app']] }),
  repeatKey: null,
  // https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests
  setup: [
    { text: 'In HubSpot, open your app. The client secret is under Auth.', shows: 'sender_secret' },
    { text: 'In a workflow, add the action Send a webhook with the method POST. Webhook URL', shows: 'url' },
    { text: 'Authentication type: Include request signature in header, with the id of your app.' },
    { text: 'Customize the request body to choose the fields to send, and turn the workflow on.' },
  ],
  sample: (id) => ({
    body: {
      hs_object_id: id,
      hs_lastmodifieddate: '1700000000000',
      dealname: 'Forty arms',
      amount: '125000.5',
      company: 'Example Robotics',
    },
  }),
};
