import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** What a household or a phone is given of IPv6 at least: whoever has one address of it has all of them. */
const ipv6PrefixBits = 64;

/**
 * The address that a request comes from, in one form for each client: IPv4 as it is, IPv6 as its network of 64 bits.
 * Each of the `proxies` in front of us appends to `X-Forwarded-For` who it was asked by; what stands left of those is the
 * client's own claim, and never read. The connection's own address counts where a proxy said nothing that is one.
 */
export function clientIpOf({ socket, headers }: IncomingMessage, proxies: number): string {
  const nearest = socket.remoteAddress ?? '';
  const forwarded = proxies > 0 ? headers['x-forwarded-for'] : undefined;
  if (typeof forwarded !== 'string') return normal(nearest) ?? nearest;
  const hops = forwarded.split(',');
  return normal(hops[Math.max(0, hops.length - proxies)]!) ?? normal(nearest) ?? nearest;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function normal(hop: string): string | undefined {
  const text = hop.trim().replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, ipv6PrefixBits / 8);
  return `${ipaddr.fromByteArray([...network, 0, 0, 0, 0, 0, 0, 0, 0]).toString()}/${ipv6PrefixBits}`;
}
