import type { IncomingMessage } from 'node:http';
import { clientIpOf } from './client-ip.ts';

const cachedMax = 1_000;
/** Characters: longer lists of proxies are read anew each time. */
const cachedKeyMax = 100;

/**
 * The client's address for the log, as `clientIpOf` has it. It is read for every request, and reading IPv6 takes 30 µs,
 * so what was read is cached.
 */
export function loggedIpOf(proxies: number): (request: IncomingMessage) => string {
  const cached = new Map<string, string>();
  return (request) => {
    const key = keyOf(request, proxies);
    const found = cached.get(key);
    if (found !== undefined) return found;
    const ip = clientIpOf(request, proxies);
    if (cached.size >= cachedMax) cached.clear();
    if (key.length <= cachedKeyMax) cached.set(key, ip);
    return ip;
  };
}

/** All that the address is read from. */
function keyOf({ socket, headers }: IncomingMessage, proxies: number): string {
  const nearest = socket.remoteAddress ?? '';
  return proxies > 0 ? `${nearest} ${headers['x-forwarded-for'] as string | undefined}` : nearest;
}
