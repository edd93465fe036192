import { expect, test } from 'vitest';
import { readClientIp, toClientSite } from './client-ip.ts';

function ipOf(forwardedFor: string | undefined, proxies: number, remoteAddress = '10.0.0.1'): string {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  return readClientIp({ headers, socket: { remoteAddress } } as Parameters<typeof readClientIp>[0], proxies);
}

test.each([
  ['no proxy: the address of the connection', '198.51.100.1', 0, '10.0.0.1'],
  ['one proxy: the last entry', '203.0.113.9, 198.51.100.1', 1, '198.51.100.1'],
  ['two proxies: the last entry but one', '203.0.113.9, 198.51.100.1', 2, '203.0.113.9'],
  ['fewer entries than proxies: the first entry', '198.51.100.1', 2, '198.51.100.1'],
  ['no header', undefined, 1, '10.0.0.1'],
  ['an empty header', '', 1, '10.0.0.1'],
  ['an entry that is not an address', 'nonsense', 1, '10.0.0.1'],
  ['an entry that only some parsers read as an address', '0x7f.1', 1, '10.0.0.1'],
  ['an entry with a port', '198.51.100.1:4711', 1, '198.51.100.1'],
  ['an IPv4-mapped IPv6 address', '::ffff:198.51.100.1', 1, '198.51.100.1'],
  ['IPv6: its network', '2001:db8:1:2:3:4:5:6', 1, '2001:db8:1:2::/64'],
  ['IPv6 with a port', '[2001:db8:1:2::9]:443', 1, '2001:db8:1:2::/64'],
  ['IPv6 with a zone', 'fe80::1%eth0', 1, 'fe80::/64'],
])('%s', (_what, forwardedFor, proxies, ip) => {
  expect(ipOf(forwardedFor, proxies)).toBe(ip);
});

test("a connection's own address is normalized, too", () => {
  expect(ipOf(undefined, 0, '::ffff:198.51.100.1')).toBe('198.51.100.1');
});

test.each([
  ['2001:db8:1:2ff::/64', '2001:db8:1:200::/56'],
  ['2001:db8:1:200::/64', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::/64', '2001:db8:1:300::/56'],
  ['198.51.100.1', undefined],
  ['', undefined],
])('the site of %j is %s', (ip, site) => expect(toClientSite(ip)).toBe(site));
