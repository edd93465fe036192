import { textSecret } from '../encodings.ts';
import type { SignatureKind } from '../signature-kind.ts';
import { hmac } from './hmac.ts';

/**
 * Slack's signatures: https://api.slack.com/authentication/verifying-requests-from-slack. The secret is the app's
 * signing secret.
 */
export const slack: SignatureKind = {
  ...hmac({
    header: 'x-slack-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: 'v0=',
    template: 'v0:{timestamp}:{body}',
    timestampHeader: 'x-slack-request-timestamp',
  }),
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
