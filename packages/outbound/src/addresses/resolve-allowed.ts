import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isAllowedAddress, isAllowedHost, type OutboundAllow } from './outbound-allow.ts';
import { OutboundError } from '../outbound.error.ts';
import { isPublicAddress } from './special-addresses.ts';

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Resolves a name like the operating system: with DNS, its search domains and the hosts file. Each lookup blocks a
 * thread of libuv, so their number is limited.
 */
export const resolveWithSystem: Resolve = (hostname) => lookup(hostname, { all: true });

interface Allowed {
  addresses: LookupAddress[];
  /** True if `OUTBOUND_ALLOW` lists the host or all of its addresses. */
  isListed: boolean;
}

/**
 * Returns the addresses of a URL after checking that all are allowed. One forbidden address is enough to refuse the
 * URL, because a public name has no reason to resolve to it. Connect only to the returned addresses, since the name may
 * resolve to other addresses a moment later.
 */
export async function resolveAllowed(url: URL, allow: OutboundAllow, resolve: Resolve): Promise<Allowed> {
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const family = isIP(hostname);
  const addresses = family ? [{ address: hostname, family }] : await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError('connection', `${url.host} has no address.`);
  const isAllowed = ({ address }: LookupAddress) => isIP(address) !== 0 && isAllowedAddress(allow, address, port);
  // The trailing dot of an absolute name is ignored.
  const isListed = isAllowedHost(allow, hostname.replace(/\.$/, ''), port) || addresses.every(isAllowed);
  if (isListed || addresses.every((each) => isPublicAddress(each.address) || isAllowed(each)))
    return { addresses, isListed };
  throw new OutboundError(
    'refused_address',
    `${url.host} is not on the public internet. To allow it, add it to OUTBOUND_ALLOW.`,
  );
}
