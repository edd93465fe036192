import { createSecretKey, randomBytes } from 'node:crypto';
import { decodeDigest, readUnixTime } from '../encodings.ts';
import { toSeconds } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';

const prefix = 'whsec_';

/**
 * Standard Webhooks, also with the headers of Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual.
 * Several signatures are separated by spaces; versions other than `v1` do not count. The key is the base64 after
 * `whsec_`.
 */
export const standardWebhooks: SignedKind = {
  proof: 'signature',
  algorithm: 'sha256',
  encoding: 'base64',
  families: [
    ['webhook-signature', 'webhook-id', 'webhook-timestamp'],
    ['svix-signature', 'svix-id', 'svix-timestamp'],
  ],
  parseSignature: ([value = '', id = '', timestamp = '']) => {
    const texts = value.split(' ').filter((text) => text.startsWith('v1,'));
    const signatures = texts.flatMap((text) => decodeDigest(text.slice(3), 'sha256', 'base64') ?? []);
    const sentAtMs = readUnixTime(timestamp, 1_000);
    if (signatures.length === 0 || sentAtMs === undefined || id === '') return undefined;
    return { signatures, timestamp, sentAtMs, id };
  },
  messages: ({ body }, { id, timestamp }) => [[`${id}.${timestamp}.`, body]],
  formatSignature: (signature, { id, timestamp }) => [`v1,${signature}`, id!, timestamp!],
  writeTime: toSeconds,
  maker: 'Standard Webhooks',
  page: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  secret: {
    isOurs: true,
    mistakes: [[/^(sk|pk)_/, 'an API key']],
    keyOf: (secret) => {
      const [, text] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? [];
      const bytes = Buffer.from(text ?? '', 'base64');
      return bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : undefined;
    },
    rule: 'Must be whsec_ followed by 24 to 64 bytes in base64.',
    make: () => prefix + randomBytes(32).toString('base64'),
  },
  // The receiver drops the headers of the family that was not verified.
  repeatKey: '"webhook-id" in delivery.headers ? delivery.headers["webhook-id"] : delivery.headers["svix-id"]',
  setup: [
    { text: 'Open the webhooks page of the sender, and add an endpoint.' },
    { text: 'URL', shows: 'url' },
    { text: 'Signing secret, if you can enter one there', shows: 'secret' },
    { text: 'If the sender creates the secret (whsec_…):', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    // Clerk's: https://clerk.com/docs/guides/development/webhooks/overview
    body: {
      type: 'user.created',
      object: 'event',
      timestamp: 1_700_000_000_000,
      data: {
        id: `user_${id}`,
        object: 'user',
        first_name: 'Ada',
        last_name: 'Lovelace',
        email_addresses: [{ id: 'idn_1', object: 'email_address', email_address: 'ada@example.com' }],
        primary_email_address_id: 'idn_1',
      },
    },
  }),
};
