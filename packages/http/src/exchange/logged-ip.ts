import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { readClientIp } from './client-ip.ts';

const cachedMax = 1_000;
/** Maximum length of a cached key, in characters; longer lists of proxies are read each time. */
const cachedKeyMax = 100;

/**
 * Returns a reader of the client's address for the log. It caches addresses by the values they are computed from, since
 * parsing IPv6 takes 30 µs.
 */
export function createIpReader(proxies: number): (request: IncomingMessage) => string {
  const cached = new LRUCache<string, string, IncomingMessage>({
    max: cachedMax,
    memoMethod: (_key, _stale, { context }) => readClientIp(context, proxies),
  });
  return (request) => {
    const { socket, headers } = request;
    const key =
      proxies > 0 ? `${socket.remoteAddress} ${String(headers['x-forwarded-for'])}` : `${socket.remoteAddress}`;
    return key.length > cachedKeyMax ? readClientIp(request, proxies) : cached.memo(key, { context: request });
  };
}
