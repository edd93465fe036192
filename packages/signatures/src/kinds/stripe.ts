import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import { toSeconds } from '../hmac-scheme.ts';
import type { SenderKind } from '../kind.ts';

/**
 * Stripe. The header is `t=TIME,v1=SIGNATURE`, with a second `v1` while an endpoint's secret is rolled. Other schemes
 * (`v0`) belong to test events and do not count. The secret as written, including `whsec_`, is the key.
 */
export const stripe: SenderKind = {
  way: 'signs',
  algorithm: 'sha256',
  encoding: 'hex',
  families: [['stripe-signature']],
  readClaim: ([value = '']) => {
    const parts = value.split(',').map((part) => part.split('='));
    const of = (name: string) => parts.filter((part) => part.length === 2 && part[0] === name).map(([, text]) => text!);
    const [timestamp, second] = of('t');
    // With two times, the one that is checked might not be the one another program reads.
    if (timestamp === undefined || second !== undefined) return undefined;
    const sentAtMs = readUnixTime(timestamp, 1_000);
    const signatures = of('v1').flatMap((text) => decodeDigest(text, 'sha256', 'hex') ?? []);
    return sentAtMs !== undefined && signatures.length > 0 ? { signatures, timestamp, sentAtMs } : undefined;
  },
  messages: ({ body }, { timestamp }) => [[`${timestamp}.`, body]],
  writeClaim: (signature, { timestamp }) => [`t=${timestamp},v1=${signature}`],
  writeTime: toSeconds,
  maker: 'Stripe',
  page: 'https://docs.stripe.com/webhooks#verify-manually',
  secret: textSecret({ isOurs: false }),
  repeatKey: 'payload.id',
  challenge: null,
  setup: [
    { text: 'In the Stripe Dashboard, open Developers, Webhooks, and choose Add destination.' },
    { text: 'Select the events to send, and Webhook endpoint as the destination type.' },
    { text: 'Endpoint URL', shows: 'url' },
    { text: 'Open the new destination and reveal its signing secret (whsec_…).', shows: 'sender_secret' },
  ],
  sample: (id) => ({
    headers: {},
    body: {
      id: `evt_${id}`,
      object: 'event',
      type: 'checkout.session.completed',
      livemode: false,
      data: {
        object: {
          object: 'checkout.session',
          amount_total: 4_900,
          currency: 'usd',
          customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
          payment_status: 'paid',
        },
      },
    },
  }),
};
