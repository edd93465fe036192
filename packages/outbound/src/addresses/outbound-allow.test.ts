import { expect, test } from 'vitest';
import { isAllowedAddress, isAllowedHost, outboundAllowSetting } from './outbound-allow.ts';

const allow = (text?: string) => outboundAllowSetting.parse(text);

test('an empty setting allows nothing', () => {
  expect(allow()).toEqual({ hosts: [], ranges: [] });
  expect(allow(' , ')).toEqual({ hosts: [], ranges: [] });
});

test.each([
  ['crm.internal', 'crm.internal', 80, true],
  ['CRM.Internal.', 'crm.internal', 80, true],
  ['crm.internal', 'x.crm.internal', 80, false],
  ['crm.internal:8443', 'crm.internal', 8443, true],
  ['crm.internal:8443', 'crm.internal', 443, false],
  ['*.internal', 'crm.internal', 80, true],
  ['*.internal', 'a.b.internal', 80, true],
  ['*.internal', 'internal', 80, false],
  ['*.internal', 'notinternal', 80, false],
  ['*.internal:81', 'crm.internal', 80, false],
  ['bücher.example', 'xn--bcher-kva.example', 80, true],
  ['other, crm.internal', 'crm.internal', 80, true],
])('"%s" and the host %s, port %i: %s', (text, hostname, port, isAllowed) => {
  expect(isAllowedHost(allow(text), hostname, port)).toBe(isAllowed);
});

test.each([
  ['10.1.0.0/16', '10.1.255.255', 80, true],
  ['10.1.0.0/16', '10.2.0.0', 80, false],
  ['10.1.0.0/16:443', '10.1.0.1', 443, true],
  ['10.1.0.0/16:443', '10.1.0.1', 80, false],
  ['127.0.0.1', '127.0.0.1', 80, true],
  ['127.0.0.1', '127.0.0.2', 80, false],
  ['127.0.0.1', '::ffff:127.0.0.1', 80, true],
  ['127.0.0.1:81', '127.0.0.1', 81, true],
  ['127.0.0.1:81', '127.0.0.1', 80, false],
  ['::1', '::1', 80, true],
  ['[::1]', '::1', 80, true],
  ['[::1]:81', '::1', 80, false],
  ['[::1]:81', '::1', 81, true],
  ['fd00::/8', 'fdff::1', 80, true],
  ['fd00::/8', 'fc00::1', 80, false],
  ['::/0', '127.0.0.1', 80, false],
  ['0.0.0.0/0', '127.0.0.1', 80, true],
  ['0.0.0.0/0', '::1', 80, false],
])('"%s" and the address %s, port %i: %s', (text, address, port, isAllowed) => {
  expect(isAllowedAddress(allow(text), address, port)).toBe(isAllowed);
});

test.each([
  '*',
  'a*.example.com',
  '10.0.0.0/33',
  '10.0.0.0/',
  '[fd00::]/8',
  '10.0.0.0/8/8',
  'fd00::/129',
  'fe80::1%eth0',
  'http://crm.internal',
  'crm.internal/path',
  'user@crm.internal',
  'crm.internal:0',
  'crm.internal:65536',
  'crm.internal:http',
  '127.1',
  '010.0.0.1',
  '0x7f.1',
  'two words',
])('"%s" is refused, and named', (entry) => {
  const result = outboundAllowSetting.safeParse(`ok.internal, ${entry}`);
  expect(result.error?.issues.map(({ message }) => message)).toEqual([
    `contains entries that are not a host name, an address or a CIDR range: "${entry}".`,
  ]);
});
