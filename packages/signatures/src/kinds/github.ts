import { hmacScheme } from '../hmac-scheme.ts';
import type { SignedKind } from '../kind.ts';
import { textSecret } from '../text-secret.ts';

export const github: SignedKind = {
  ...hmacScheme({ header: 'x-hub-signature-256', prefix: 'sha256=' }),
  maker: 'GitHub',
  page: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
  secret: textSecret({ isOurs: true, mistakes: [[/^(gh[pousr]_|github_pat_)/, 'an access token of GitHub']] }),
  repeatKey: 'delivery.headers["x-github-delivery"]',
  // https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks
  setup: [
    { text: 'In the repository or organization, open Settings, Webhooks, and choose Add webhook.' },
    { text: 'Payload URL', shows: 'url' },
    { text: 'Content type', value: 'application/json' },
    { text: 'Secret', shows: 'secret' },
    { text: 'Choose the events to send, and choose Add webhook. GitHub sends a ping at once.' },
  ],
  sample: (id) => ({
    headers: { 'x-github-event': 'issues', 'x-github-delivery': id },
    body: {
      action: 'opened',
      issue: {
        number: 1,
        title: 'The sign-in page is blank',
        html_url: 'https://github.com/acme/website/issues/1',
        user: { login: 'ada' },
        body: 'A sample issue.',
      },
      repository: { full_name: 'acme/website', html_url: 'https://github.com/acme/website' },
      sender: { login: 'ada' },
    },
  }),
};
