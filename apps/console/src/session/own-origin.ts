import type { IncomingMessage } from 'node:http';
import { AppError } from '@relata/schemas/errors';

/** How the console knows which requests are for it, and come from its own pages. */
export interface OwnOrigin {
  /** The origin that people open the console at; undefined for whatever host they ask. */
  consoleUrl: string | undefined;
  /** Proxies in front, the nearest of which says by what scheme it was asked. */
  proxies: number;
}

/** Returns true if the browser came by https. */
export function isEncrypted({ headers }: IncomingMessage, { consoleUrl, proxies }: OwnOrigin): boolean {
  if (consoleUrl !== undefined) return consoleUrl.startsWith('https:');
  const forwarded = proxies > 0 ? headers['x-forwarded-proto'] : undefined;
  return typeof forwarded === 'string' && forwarded.split(',').at(-1)!.trim() === 'https';
}

/** The origin by which the console was asked. */
export function originOf(request: IncomingMessage, own: OwnOrigin): string {
  return own.consoleUrl ?? `${isEncrypted(request, own) ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;
}

/** Refuses a request for another host: a name that somebody else pointed here is none of ours. */
export function requireOwnHost({ headers }: IncomingMessage, { consoleUrl }: OwnOrigin): void {
  if (consoleUrl === undefined || new URL(consoleUrl).host === headers.host?.toLowerCase()) return;
  throw new AppError('misdirected_request', `The console is at ${consoleUrl}.`);
}

/**
 * Refuses a request that does not come from a page of ours. Browsers say where it comes from in `Sec-Fetch-Site`, but for
 * plain http in a local network, where `Origin` is what there is. `same-site` is not enough: another port of this host is
 * another program.
 */
export function requireSameOrigin(request: IncomingMessage, own: OwnOrigin): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const isOurs = site === undefined ? origin !== undefined && isOwn(origin, request, own) : site === 'same-origin';
  if (!isOurs) throw new AppError('cross_site', crossSite);
}

const crossSite = 'The console is used by its own pages alone. Programs use the API, with a key.';

/** Compares the host alone if a proxy may not report the scheme. */
function isOwn(origin: string, { headers }: IncomingMessage, { consoleUrl }: OwnOrigin): boolean {
  return consoleUrl === undefined ? URL.parse(origin)?.host === headers.host?.toLowerCase() : origin === consoleUrl;
}
