import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';

/**
 * https://docs.stripe.com/webhooks#verify-manually: `t=TIME,v1=SIGNATURE`, with a second `v1` while an endpoint's secret is
 * rolled. Other schemes (`v0`) are of test events and do not count. The secret is the key as it is written, `whsec_` included.
 */
export const stripe: SignatureKind = {
  algorithm: 'sha256',
  encoding: 'hex',
  headers: ['stripe-signature'],
  readClaim: ([value = '']) => {
    const parts = value.split(',').map((part) => part.split('='));
    const of = (name: string) => parts.filter((part) => part.length === 2 && part[0] === name).map(([, text]) => text!);
    const [timestamp, second] = of('t');
    // The second of two times could be another than the one that is checked.
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
