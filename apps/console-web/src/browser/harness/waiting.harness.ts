import type { Page } from 'playwright-core';

/** Returns the page's unanswered requests, as a set that stays up to date. The endless event stream does not count. */
export function waitingRequests(page: Page): Set<string> {
  const waiting = new Set<string>();
  page.on('request', (request) => /\/console\/api\/.*(?<!\/stream)$/.test(request.url()) && waiting.add(request.url()));
  page.on('requestfinished', (request) => waiting.delete(request.url()));
  page.on('requestfailed', (request) => waiting.delete(request.url()));
  return waiting;
}
