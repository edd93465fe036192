export const appNames = ['records-api', 'chat-gateway', 'webhook-ingest', 'workflow-worker'] as const;

export type AppName = (typeof appNames)[number];

/** The app that serves a request. Goes by the path as it was sent: decoding it here could disagree with the app. */
export function appFor(rawUrl: string): AppName {
  if (rawUrl.startsWith('/webhooks/')) return 'webhook-ingest';
  if (rawUrl.startsWith('/v1/genie/')) return 'chat-gateway';
  return 'records-api';
}
