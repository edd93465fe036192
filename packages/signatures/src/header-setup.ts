import type { SetupStep } from './kind.ts';

/** Steps to set up a sender that does not sign but can send a header. */
export const setupOfHeader: readonly SetupStep[] = [
  { text: 'In the sender, add a webhook or an HTTP request: method POST, body JSON.' },
  { text: 'URL', shows: 'url' },
  { text: 'Header', value: 'Content-Type: application/json' },
  { text: 'Header X-Webhook-Secret', shows: 'secret' },
  { text: 'Send a test request.' },
];
