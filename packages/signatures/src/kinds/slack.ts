import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

const challengeCharactersMax = 1_000;

/** Slack. The secret is the app's signing secret. */
export const slack: SignedKind = {
  ...hmacScheme({
    header: 'x-slack-signature',
    prefix: 'v0=',
    template: 'v0:{timestamp}:{body}',
    timestampHeader: 'x-slack-request-timestamp',
  }),
  maker: 'Slack',
  page: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
  secret: textSecret({ isOurs: false, mistakes: [[/^(xox[a-z]|xapp)-/, 'a token of Slack']] }),
  repeatKey: 'payload.event_id',
  challenge: { by: 'post', answer: answerVerification },
  // https://docs.slack.dev/apis/events-api
  setup: [
    {
      text: 'At api.slack.com/apps, open your app. The signing secret is under Basic Information, App Credentials.',
      shows: 'sender_secret',
    },
    { text: 'Open Event Subscriptions and turn on Enable Events. Request URL', shows: 'url' },
    { text: 'Slack verifies the URL at once. Subscribe to bot events, and choose Save Changes.' },
  ],
  sample: (id) => ({
    body: {
      type: 'event_callback',
      event_id: id,
      team_id: 'T0001',
      event: { type: 'message', channel: 'C0001', user: 'U0001', text: 'Hello', ts: '1700000000.000100' },
    },
  }),
};

/** Echoes the challenge of `url_verification`: https://docs.slack.dev/reference/events/url_verification */
function answerVerification(payload: object): object | undefined {
  const { type, challenge } = payload as Record<string, unknown>;
  if (type !== 'url_verification' || typeof challenge !== 'string') return undefined;
  return challenge.length <= challengeCharactersMax ? { challenge } : undefined;
}
