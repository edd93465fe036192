import type { IncomingMessage } from 'node:http';
import { type AppName, services } from '../../services.ts';

/** Where requests go, the longest prefix first; the last one is `/`. */
export const routes = services
  .flatMap(({ name, prefix }) => (prefix === undefined ? [] : [{ prefix, app: name }]))
  .toSorted((a, b) => b.prefix.length - a.prefix.length);

const fallback = routes.at(-1)!.app;

/** The app that serves a request. Goes by the path as it was sent: decoding it here could disagree with the app. */
export function appFor(rawUrl: string): AppName {
  return routes.find(({ prefix }) => rawUrl.startsWith(prefix))?.app ?? fallback;
}

/** Where the gateway itself shows the demo site, and on it the pages that the chat answers from. */
export const sitePath = '/demo';
export const docsPath = `${sitePath}/docs`;

/** Whether a request is for the demo site. Goes by the path as it was sent, too. */
export function isForSite(rawUrl: string): boolean {
  return /^\/demo(?:[/?]|$)/.test(rawUrl);
}

/** Whether a person has opened the bare address in a browser. Clients of the API, which ask for no page, get its 404. */
export function isVisit({ url = '', method, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /^\/(?:\?|$)/.test(url) && /\btext\/html\b/.test(headers.accept ?? '');
}
