import type { Page } from 'playwright-core';

/** What the page has asked of the service and not been answered; the stream never ends. */
export function waitingOf(page: Page): Set<string> {
  const waiting = new Set<string>();
  page.on('request', (request) => /\/console\/api\/.*(?<!\/stream)$/.test(request.url()) && waiting.add(request.url()));
  page.on('requestfinished', (request) => waiting.delete(request.url()));
  page.on('requestfailed', (request) => waiting.delete(request.url()));
  return waiting;
}
