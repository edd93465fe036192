import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';

/** The only percent-encoded characters that HubSpot decodes in an address before it signs it. */
const decoded = /%(3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/**
 * HubSpot's signatures, version 3, which also sign the address:
 * https://developers.hubspot.com/docs/guides/apps/authentication/validating-requests. The secret is the app's client
 * secret.
 */
export const hubspot: SignatureKind = {
  algorithm: 'sha256',
  encoding: 'base64',
  headers: ['x-hubspot-signature-v3', 'x-hubspot-request-timestamp'],
  readClaim: ([value = '', timestamp = '']) => {
    const signature = decodeDigest(value, 'sha256', 'base64');
    const sentAtMs = readUnixTime(timestamp, 1);
    return signature && sentAtMs !== undefined ? { signatures: [signature], timestamp, sentAtMs } : undefined;
  },
  messages: ({ method, uris, body }, { timestamp }) =>
    uris().map((uri) => [`${method}${uri.replaceAll(decoded, decodeURIComponent)}`, body, timestamp!]),
  writeClaim: (signature, { timestamp }) => [signature, timestamp!],
  writeTime: String,
  secret: textSecret(false),
};
