import { OutboundError } from '../outbound.error.ts';
import { parseUrl, type RequestHop } from './request-hop.ts';

const statuses = new Set([301, 302, 303, 307, 308]);

/**
 * Headers that another origin may receive. Any other header may contain a key, and an idempotency key is meant only for
 * the first origin.
 */
const forAnyOrigin = /^(accept|accept-language|user-agent|content-type)$/;

/** Returns the next hop of a redirect, like fetch; undefined if the response is final. */
export function nextHop(hop: RequestHop, status: number, location: string | undefined): RequestHop | undefined {
  if (!statuses.has(status) || location === undefined) return undefined;
  const url = parseUrl(location, hop.url);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('refused_redirect', `${hop.url.host} redirects from https to http.`);
  }
  const next = becomesGet(status, hop.method) ? withoutBody(hop) : hop;
  return url.origin === hop.url.origin ? { ...next, url } : { ...forAnotherOrigin(next), url };
}

function forAnotherOrigin(hop: RequestHop): RequestHop {
  const { redaction, body, url } = hop;
  if (body && redaction.holds(body.toString('utf8')))
    throw new OutboundError('refused_redirect', `${url.host} redirects to another origin, and the body has a secret.`);
  const headers = [...hop.headers].filter(([name, value]) => forAnyOrigin.test(name) && !redaction.holds(value));
  return { ...hop, headers: new Map(headers) };
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function withoutBody(hop: RequestHop): RequestHop {
  const headers = [...hop.headers].filter(([name]) => !name.startsWith('content-'));
  return { ...hop, method: 'GET', headers: new Map(headers), body: undefined };
}
