import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/**
 * Prefix length of the smallest IPv6 network that a household or a phone gets. A client can use all addresses in it.
 */
const ipv6PrefixBits = 64;

/**
 * Prefix length of the IPv6 network that many providers assign to a household or an office; it contains 256 /64
 * networks.
 */
const ipv6SiteBits = 56;

/**
 * Returns the address that a request comes from, normalized per client: IPv4 unchanged, IPv6 as its /64 network. Each
 * of the `proxies` in front of us appends to `X-Forwarded-For` the address that called it. Entries to the left of these
 * are claims of the client and are ignored. If the entry of a proxy is not an address, the connection's own address is
 * used.
 */
export function readClientIp(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies: number,
): string {
  const nearest = socket.remoteAddress ?? '';
  const forwarded = proxies > 0 ? headers['x-forwarded-for'] : undefined;
  if (typeof forwarded !== 'string') return normal(nearest) ?? nearest;
  const hops = forwarded.split(',');
  return normal(hops[Math.max(0, hops.length - proxies)]!) ?? normal(nearest) ?? nearest;
}

/** Returns the /56 network that contains a client's IPv6 network; undefined for IPv4. */
export function toClientSite(clientIp: string): string | undefined {
  const [network, bits] = clientIp.split('/');
  return bits === undefined ? undefined : networkOf(ipaddr.parse(network!), ipv6SiteBits);
}

/** Normalizes an address. Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
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
