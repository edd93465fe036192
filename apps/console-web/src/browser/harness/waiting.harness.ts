import type { Page } from 'playwright-core';

/** Returns the requests of the page that have no answer yet. The stream never ends and does not count. */
export function waitingRequests(page: Page): Set<string> {
  const waiting = new Set<string>();
  page.on('request', (request) => /\/console\/api\/.*(?<!\/stream)$/.test(request.url()) && waiting.add(request.url()));
  page.on('requestfinished', (request) => waiting.delete(request.url()));
  page.on('requestfailed', (request) => waiting.delete(request.url()));
  return waiting;
}
