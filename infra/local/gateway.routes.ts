export const appNames = ['records-api', 'chat-gateway', 'webhook-ingest', 'workflow-worker'] as const;

export type AppName = (typeof appNames)[number];

/** The app that serves a request. Goes by the path as it was sent: decoding it here could disagree with the app. */
export function appFor(rawUrl: string): AppName {
  if (rawUrl.startsWith('/webhooks/')) return 'webhook-ingest';
  if (rawUrl.startsWith('/v1/genie/')) return 'chat-gateway';
  return 'records-api';
}

/** Where the gateway itself shows the demo site, and on it the pages that the chat answers from. */
export const sitePath = '/demo';
export const docsPath = `${sitePath}/docs`;

/** Whether a request is for the demo site. Goes by the path as it was sent, too. */
export function isForSite(rawUrl: string): boolean {
  return /^\/demo(?:[/?]|$)/.test(rawUrl);
}
