import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

interface AllowedHost {
  /** Name in lower case and ASCII; `.example.com` for `*.example.com`. */
  name: string;
  port: number | undefined;
}

interface AllowedRange {
  family: 'ipv4' | 'ipv6';
  addresses: BlockList;
  port: number | undefined;
}

/** Hosts and addresses that workflows may reach in addition to the public internet. */
export interface OutboundAllow {
  hosts: AllowedHost[];
  ranges: AllowedRange[];
}

/** Returns true if a host is allowed with any address. */
export function isAllowedHost({ hosts }: OutboundAllow, hostname: string, port: number): boolean {
  return hosts.some(({ name, port: only }) => matchesName(name, hostname) && (only ?? port) === port);
}

/** Returns true if a name matches an entry. `*.` in an entry does not include the domain itself. */
function matchesName(name: string, hostname: string): boolean {
  return name.startsWith('.') ? hostname.endsWith(name) && hostname.length > name.length : hostname === name;
}

/** Returns true if an address is allowed under any name. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function isAllowedAddress({ ranges }: OutboundAllow, address: string, port: number): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return ranges.some((range) => {
    // A BlockList with the IPv6 range `::/0` would match all IPv4 addresses.
    if (range.family === 'ipv6' && family === 'ipv4') return false;
    return range.addresses.check(address, family) && (range.port ?? port) === port;
  });
}

/** Maximum number of entries, since every request may check all of them. */
const entriesMax = 1_000;

/** Setting `OUTBOUND_ALLOW`: hosts and address ranges, separated by commas. */
export const outboundAllowSetting = z
  .string()
  .default('')
  .transform((text, ctx): OutboundAllow => {
    const entries = text.split(',').flatMap((entry) => entry.trim() || []);
    const parsed = entries.map((entry) => parseRange(entry) ?? parseHost(entry));
    const bad = entries.filter((_entry, index) => !parsed[index]).map((entry) => `"${entry.slice(0, 100)}"`);
    if (bad.length > 0)
      ctx.issues.push(
        issue(`contains entries that are not a host name, an address or a CIDR range: ${bad.join(', ')}.`, text),
      );
    if (entries.length > entriesMax) ctx.issues.push(issue(`must have at most ${entriesMax} entries.`, text));
    return {
      hosts: parsed.filter((entry): entry is AllowedHost => entry !== undefined && 'name' in entry),
      ranges: parsed.filter((entry): entry is AllowedRange => entry !== undefined && 'addresses' in entry),
    };
  })
  .meta({
    description:
      'Private, loopback or link-local hosts and addresses that workflows may call, separated by commas: ' +
      '`crm.internal`, `*.svc.cluster.local`, `localhost:8080`, `10.1.0.0/16`, `fd00::/8`.',
    examples: ['crm.internal:8443,10.1.0.0/16'],
  });

const issue = (message: string, input: string) => ({ code: 'custom' as const, message, input });

/** Parses an entry like `10.0.0.0/8`, `127.0.0.1`, `127.0.0.1:8080`, `fd00::/8`, `::1` or `[::1]:8080`. */
function parseRange(entry: string): AllowedRange | undefined {
  const { host, port } = splitPort(entry);
  const [network = '', bits, ...rest] = host.replace(/^\[(.*)\]$/, '$1').split('/');
  const version = isIP(network);
  const bitsMax = version === 4 ? 32 : 128;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
  if (version === 0 || network.includes('%') || !isPrefix || rest.length > 0 || port === 0) return undefined;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const addresses = new BlockList();
  addresses.addSubnet(network, Number(bits ?? bitsMax), family);
  return { family, addresses, port };
}

/** Parses an entry like `crm.internal`, `crm.internal:8443` or `*.internal`. */
function parseHost(entry: string): AllowedHost | undefined {
  const { host, port } = splitPort(entry);
  const isWildcard = host.startsWith('*.');
  const name = isWildcard ? host.slice(2) : host;
  if (!/^[^\s/\\?#@:*%[\]]{1,255}$/.test(name) || port === 0) return undefined;
  const hostname = URL.parse(`http://${name}/`)?.hostname.replace(/\.$/, '');
  // A URL parser reads `127.1` as an address, but people who read it in a list may not expect that.
  if (!hostname || isIP(hostname) !== 0) return undefined;
  return { name: isWildcard ? `.${hostname}` : hostname, port };
}

/**
 * Splits off the port. An entry with several colons is an IPv6 address, which has a port only after brackets. An
 * invalid port is returned as 0.
 */
function splitPort(entry: string): { host: string; port: number | undefined } {
  const match = /^(\[[^\]]*\]|[^[:]*):([^:]*)$/.exec(entry);
  if (!match) return { host: entry, port: undefined };
  const port = /^\d{1,5}$/.test(match[2]!) ? Number(match[2]) : 0;
  return { host: match[1]!, port: port <= 65_535 ? port : 0 };
}
