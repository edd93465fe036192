import type { IncomingMessage } from 'node:http';
import { AppError } from '@relata/schemas/errors';

/** Settings by which the console recognizes requests for itself and from its own pages. */
export interface OwnOrigin {
  /** Origin at which people open the console; undefined to accept any host. */
  consoleUrl: string | undefined;
  /** Number of proxies in front. The nearest one reports the scheme of the request. */
  proxies: number;
}

/** Returns true if the browser uses https. */
export function isEncrypted({ headers }: IncomingMessage, { consoleUrl, proxies }: OwnOrigin): boolean {
  if (consoleUrl !== undefined) return consoleUrl.startsWith('https:');
  const forwarded = proxies > 0 ? headers['x-forwarded-proto'] : undefined;
  return typeof forwarded === 'string' && forwarded.split(',').at(-1)!.trim() === 'https';
}

export function requestOrigin(request: IncomingMessage, own: OwnOrigin): string {
  return own.consoleUrl ?? `${isEncrypted(request, own) ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;
}

/** Refuses a request for another host name, for example one that somebody else has pointed at this server. */
export function requireOwnHost({ headers }: IncomingMessage, { consoleUrl }: OwnOrigin): void {
  if (consoleUrl === undefined || new URL(consoleUrl).host === headers.host?.toLowerCase()) return;
  throw new AppError('misdirected_request', `The console is at ${consoleUrl}.`);
}

/**
 * Refuses a request that does not come from one of our pages. Browsers report the source in `Sec-Fetch-Site`, except
 * over plain http in a local network, where only `Origin` is sent. `same-site` is not enough, since another port of
 * this host is another program.
 */
export function requireSameOrigin(request: IncomingMessage, own: OwnOrigin): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOurs = site === undefined ? origin !== undefined && isOwn(origin, request, own) : site === 'same-origin';
  if (!isOurs) throw new AppError('cross_site', crossSite);
}

const crossSite = 'Only the pages of the console can send this request. Programs use the API with a key.';

/**
 * Returns true for our own origin. Without `consoleUrl` it compares only the host, because a proxy might not report the
 * scheme.
 */
function isOwn(origin: string, { headers }: IncomingMessage, { consoleUrl }: OwnOrigin): boolean {
  return consoleUrl === undefined ? URL.parse(origin)?.host === headers.host?.toLowerCase() : origin === consoleUrl;
}
