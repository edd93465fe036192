import type { IncomingMessage } from 'node:http';
import { type AppName, services } from '../../services.ts';

/** App of each path prefix, sorted from the longest prefix to `/`. */
export const routes = services
  .flatMap(({ name, prefix }) => (prefix === undefined ? [] : [{ prefix, app: name }]))
  .toSorted((a, b) => b.prefix.length - a.prefix.length);

const fallback = routes.at(-1)!;

/** Returns a regular expression, valid in JavaScript and Go, that matches the paths of an app. */
export function patternOf(prefix: string): string {
  return prefix.endsWith('/') ? `^${prefix}` : `^${prefix}(?:[/?]|$)`;
}

const patterns = routes.slice(0, -1).map(({ prefix, app }) => ({ pattern: new RegExp(patternOf(prefix)), app }));

/**
 * Returns the app that serves a request. Uses the path as it was sent, because the gateway might decode it differently
 * from the app.
 */
export function appFor(rawUrl: string): AppName {
  return patterns.find(({ pattern }) => pattern.test(rawUrl))?.app ?? fallback.app;
}

export const sitePath = '/demo';
/** Path of the pages from which the chat answers. */
export const docsPath = `${sitePath}/docs`;

/** Returns true if a request is for the demo site, by the path as it was sent. */
export function isForSite(rawUrl: string): boolean {
  return /^\/demo(?:[/?]|$)/.test(rawUrl);
}

/** Returns true if a browser opens the address without a path. Clients that accept no HTML get the 404 of the API. */
export function isVisit({ url = '', method, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /^\/(?:\?|$)/.test(url) && /\btext\/html\b/.test(headers.accept ?? '');
}
