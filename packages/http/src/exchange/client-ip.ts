import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The least of IPv6 that a household or a phone is given: a client with one address of it has all of them. */
const ipv6PrefixBits = 64;

/** What many providers give to a household or an office: 256 of those networks. */
const ipv6SiteBits = 56;

/**
 * The address that a request comes from, in one form for each client: IPv4 as it is, IPv6 as its network of 64 bits.
 * Each of the `proxies` in front of us appends to `X-Forwarded-For` the address that it was called from; what is left of those is the
 * client's own claim, and is never read. The connection's own address counts where a proxy said nothing that is one.
 */
export function clientIpOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>, proxies: number): string {
  const nearest = socket.remoteAddress ?? '';
  const forwarded = proxies > 0 ? headers['x-forwarded-for'] : undefined;
  if (typeof forwarded !== 'string') return normal(nearest) ?? nearest;
  const hops = forwarded.split(',');
  return normal(hops[Math.max(0, hops.length - proxies)]!) ?? normal(nearest) ?? nearest;
}

/** The site that a client's network of IPv6 is a part of, as its network of 56 bits; IPv4 has none. */
export function clientSiteOf(clientIp: string): string | undefined {
  const [network, bits] = clientIp.split('/');
  return bits === undefined ? undefined : networkOf(ipaddr.parse(network!), ipv6SiteBits);
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function normal(hop: string): string | undefined {
  const text = hop.trim().replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  return networkOf(address, ipv6PrefixBits);
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().fill(0, bits / 8);
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}
