import { decodeDigest, readUnixTime, textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';

/**
 * Slack's signatures: https://api.slack.com/authentication/verifying-requests-from-slack. The secret is the app's
 * signing secret.
 */
export const slack: SignatureKind = {
  algorithm: 'sha256',
  encoding: 'hex',
  headers: ['x-slack-signature', 'x-slack-request-timestamp'],
  readClaim: ([value = '', timestamp = '']) => {
    const signature = value.startsWith('v0=') ? decodeDigest(value.slice(3), 'sha256', 'hex') : undefined;
    const sentAtMs = readUnixTime(timestamp, 1_000);
    return signature && sentAtMs !== undefined ? { signatures: [signature], timestamp, sentAtMs } : undefined;
  },
  messages: ({ body }, { timestamp }) => [[`v0:${timestamp}:`, body]],
  writeClaim: (signature, { timestamp }) => [`v0=${signature}`, timestamp!],
  writeTime: (ms) => String(Math.floor(ms / 1_000)),
  secret: textSecret(false),
};

const challengeCharactersMax = 1_000;

/**
 * Returns the challenge of Slack's first post to an address, which expects it back
 * (https://api.slack.com/events/url_verification); undefined for an event.
 */
export function readSlackChallenge(payload: object): string | undefined {
  const { type, challenge } = payload as Record<string, unknown>;
  if (type !== 'url_verification' || typeof challenge !== 'string') return undefined;
  return challenge.length <= challengeCharactersMax ? challenge : undefined;
}
