import type { LookupAddress } from 'node:dns';
import { unlessAborted } from '@relata/runtime';
import type { DnsLookups } from './dns-lookups.ts';
import type { OutboundAllow } from './outbound-allow.ts';
import { OutboundError } from '../outbound.error.ts';
import { type Resolve, resolveAllowed } from './resolve-allowed.ts';

/**
 * Returns the addresses to which requests for a URL of an organization may connect. Throws `OutboundError` if the URL
 * is not permitted.
 */
export type OutboundGuard = (orgId: string, url: URL, signal: AbortSignal) => Promise<LookupAddress[]>;

/**
 * Creates a guard for URLs that contain a secret. It permits https to the public internet, and http and https to the
 * exceptions of `OUTBOUND_ALLOW`.
 */
export function createOutboundGuard(allow: OutboundAllow, lookups: DnsLookups): OutboundGuard {
  return async (orgId, url, signal) => {
    const find: Resolve = (hostname) => lookups.find(orgId, hostname, signal);
    const { addresses, isListed } = await unlessAborted(resolveAllowed(url, allow, find), signal);
    if (url.protocol === 'https:' || isListed) return addresses;
    throw new OutboundError(
      'refused_address',
      `${url.host} may be reached by http only if OUTBOUND_ALLOW lists it. Use https.`,
    );
  };
}
