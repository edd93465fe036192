import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isAllowedAddress, isAllowedHost, type OutboundAllow } from './outbound-allow.ts';
import { OutboundError } from '../outbound.error.ts';
import { isPublicAddress } from './special-addresses.ts';

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * Resolves a name as the machine itself does: by DNS with its search domains and by its hosts file. A thread of libuv
 * waits for it, which is why lookups are bounded.
 */
export const resolveWithSystem: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Returns the addresses of a URL after checking that all are allowed. One forbidden address rules out the others: a
 * public name has no reason to resolve to it. Connect only to the returned addresses, since the same name may resolve
 * to others a moment later.
 */
export async function resolveAllowed(url: URL, allow: OutboundAllow, resolve: Resolve): Promise<LookupAddress[]> {
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const family = isIP(hostname);
  const addresses = family ? [{ address: hostname, family }] : await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError('connection', `${url.host} has no address.`);
  const isAllowed = ({ address }: LookupAddress) =>
    isPublicAddress(address) || (isIP(address) !== 0 && isAllowedAddress(allow, address, port));
  // The dot that ends an absolute name is not part of the name.
  if (isAllowedHost(allow, hostname.replace(/\.$/, ''), port) || addresses.every(isAllowed)) return addresses;
  throw new OutboundError(
    'refused_address',
    `${url.host} is not on the public internet. To allow it, add it to OUTBOUND_ALLOW.`,
  );
}
