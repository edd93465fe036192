import { expect, test } from 'vitest';
import { isPublicAddress } from './special-addresses.ts';

test.each([
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1']],
  ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
  ['metadata of clouds', ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16']],
  ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
  ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
  ['reserved', ['240.0.0.1', '255.255.255.255', '4000::1', 'e000::1', '5f00::1']],
  ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
  ['benchmarking', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
  ['site-local', ['fec0::1']],
  ['discard-only', ['100::1']],
  ['IPv4 in IPv6', ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::8.8.8.8', '::ffff:0:8.8.8.8']],
  ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1']],
  ['6to4', ['2002:7f00:1::', '192.88.99.1']],
  ['Teredo and ORCHID', ['2001::1', '2001:10::1', '2001:20::1']],
  ['no address', ['', 'example.com', '127.1', '8.8.8.8 ', '[2606:4700::1]']],
])('%s is not public', (_what, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

test('the addresses next to the special ranges are public', () => {
  const addresses = ['1.1.1.1', '8.8.8.8', '11.0.0.1', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.1'];
  addresses.push(
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.1',
    '192.167.1.1',
    '198.17.1.1',
    '198.20.0.1',
    '223.255.255.255',
  );
  addresses.push('2606:4700:4700::1111', '2001:4860:4860::8888', '2003::1', '2a00:1450::1', '3ffe::1', '3fff:1000::1');
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});
