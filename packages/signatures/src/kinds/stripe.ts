import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';

/**
 * Stripe's signatures: https://docs.stripe.com/webhooks#verify-manually. The header is `t=TIME,v1=SIGNATURE`, with a
 * second `v1` while an endpoint's secret is rolled. Other schemes (`v0`) belong to test events and do not count. The
 * secret as written, including `whsec_`, is the key.
 */
export const stripe: SignatureKind = {
  algorithm: 'sha256',
  encoding: 'hex',
  headers: ['stripe-signature'],
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
  writeTime: (ms) => String(Math.floor(ms / 1_000)),
  secret: textSecret(false),
};
