import { BlockList, isIP } from 'node:net';

/**
 * Special IPv4 ranges: https://www.iana.org/assignments/iana-ipv4-special-registry, multicast, and Azure's host agent.
 */
const specialV4 = listOf('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // behind a carrier's NAT; metadata of Alibaba Cloud
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; metadata of Oracle Cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '168.63.129.16/32', // Azure's host agent, which only looks public
]);

/**
 * The range that IANA allocates for public use: everything outside it is special or unassigned. This alone refuses
 * loopback, IPv4-mapped and -compatible addresses, NAT64, ULA, link-local, site-local and multicast.
 */
const globalV6 = listOf('ipv6', ['2000::/3']);

/** Special ranges within `2000::/3`: https://www.iana.org/assignments/iana-ipv6-special-registry. */
const specialV6 = listOf('ipv6', [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID and others
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which wraps any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]);

/**
 * Returns true if an address belongs to the public internet; false for text that is not an address, or an address with
 * an interface name.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !specialV4.check(address, 'ipv4');
  const isPlainV6 = isIP(address) === 6 && !address.includes('%');
  return isPlainV6 && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

/**
 * Creates a list for one address family. In a list of both families, an IPv6 range that contains the mapped addresses
 * would match every IPv4 address.
 */
function listOf(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network, prefix] = range.split('/') as [string, string];
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
