import { type Admission, toClientSite, SharedLimit, tooMany } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import type { RateLimit } from '@relata/runtime';
import type { IncomingMessage } from 'node:http';
import { siteTimes } from './client-groups.ts';

export interface ClientLimitOptions {
  /** Name of the limit, which replicas share. */
  name: string;
  limit: NonNullable<RateLimit>;
  messaging: Messaging;
  stack: AsyncDisposableStack;
  ipOf: (request: IncomingMessage) => string;
}

/**
 * Limits each client IP, and each IPv6 site to four times as many requests. The response headers show the limit that
 * has fewer requests left.
 */
export function limitedByClient({ name, limit, messaging, stack, ipOf }: ClientLimitOptions): Admission {
  const ofAddresses = stack.use(new SharedLimit(name, limit, messaging));
  const ofSite = { ...limit, points: limit.points * siteTimes };
  const ofSites = stack.use(new SharedLimit(`${name}-site`, ofSite, messaging, 'site'));
  return async (request, _caller, exchange) => {
    const ip = ipOf(request);
    const own = await ofAddresses.take(ip);
    exchange.taken = own;
    if (!own.isAllowed) throw tooMany(own.resetSeconds);
    const site = toClientSite(ip);
    if (site === undefined) return;
    const all = await ofSites.take(site);
    if (all.remaining < own.remaining || !all.isAllowed) exchange.taken = all;
    if (all.isAllowed) return;
    ofAddresses.giveBack(ip);
    throw tooMany(all.resetSeconds);
  };
}
