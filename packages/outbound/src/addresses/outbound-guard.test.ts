import { expect, test } from 'vitest';
import { fixedResolver, outboundWith } from '../outbound.harness.ts';
import { outboundAllowSetting } from './outbound-allow.ts';
import { DnsLookups } from './dns-lookups.ts';
import { createOutboundGuard } from './outbound-guard.ts';
import type { Resolve } from './resolve-allowed.ts';

const ask = (url: string, { allow = '', address = '93.184.216.34' } = {}) =>
  createOutboundGuard(outboundAllowSetting.parse(allow), new DnsLookups({ resolve: fixedResolver(address) }))(
    'org',
    new URL(url),
    AbortSignal.timeout(60_000),
  );

const refused = expect.objectContaining({ name: 'OutboundError', code: 'refused_address' });

test('a public host can be reached over https, at the addresses that were checked', async () => {
  expect(await ask('https://hooks.example/s3cret')).toEqual([{ address: '93.184.216.34', family: 4 }]);
});

test.each([
  ['https://hooks.example/', { address: '10.0.0.1' }],
  ['https://127.0.0.1/', {}],
  ['https://[::1]/', {}],
  ['https://169.254.169.254/', {}],
  ['http://hooks.example/', {}],
  ['http://93.184.216.34/', {}],
  ['http://hooks.example/', { allow: 'other.example' }],
  ['http://hooks.example:8080/', { allow: 'hooks.example:8081' }],
])('the guard refuses %s, given %j', async (url, given) => {
  await expect(ask(url, given)).rejects.toEqual(refused);
});

test.each([
  ['http://hooks.example/', { allow: 'hooks.example' }],
  ['http://hooks.example:8080/', { allow: 'hooks.example:8080' }],
  ['http://chat.internal/', { allow: '10.0.0.0/8', address: '10.0.0.1' }],
  ['https://chat.internal/', { allow: 'chat.internal', address: '10.0.0.1' }],
])('the guard allows %s, given %j', async (url, given) => {
  expect(await ask(url, given)).toHaveLength(1);
});

test('the guard and the client share the threads for lookups', async () => {
  const asked: string[] = [];
  const resolve: Resolve = (hostname) => {
    asked.push(hostname);
    return new Promise(() => {});
  };
  const lookups = new DnsLookups({ resolve });
  const guard = createOutboundGuard(outboundAllowSetting.parse(''), lookups);
  const ask = outboundWith('', lookups);
  const bySteps = Array.from({ length: 5 }, (_, i) =>
    ask(`https://step${i}.example/`, { orgId: 'org', timeoutMs: 200 }),
  );
  const byGuard = Array.from({ length: 5 }, (_, i) =>
    guard('org', new URL(`https://channel${i}.example/`), AbortSignal.timeout(200)),
  );
  await Promise.allSettled([...bySteps, ...byGuard]);
  // Lookups use two of the four threads. An organization gets one of them at most, even if no other waits.
  expect(asked).toEqual(['step0.example']);
});

test('a lookup ends if its signal is aborted', async () => {
  const guard = createOutboundGuard(
    outboundAllowSetting.parse(''),
    new DnsLookups({ resolve: () => new Promise(() => {}) }),
  );
  await expect(guard('org', new URL('https://slow.example/'), AbortSignal.timeout(10))).rejects.toThrow(
    'aborted due to timeout',
  );
});
