import type { LookupAddress } from 'node:dns';
import { Slots } from '@relata/runtime';
import { expect, test } from 'vitest';
import { DnsLookups } from './dns-lookups.ts';
import { outboundWith, serve } from '../outbound.harness.ts';

const address = { address: '127.0.0.1', family: 4 };
const { signal } = new AbortController();

/** Creates a resolver that never answers for names that begin with "slow". */
function slowServers() {
  const asked: string[] = [];
  const resolve = (hostname: string): Promise<LookupAddress[]> => {
    asked.push(hostname);
    return hostname.startsWith('slow') ? new Promise(() => undefined) : Promise.resolve([address]);
  };
  return { asked, resolve };
}

test('names whose servers never answer do not block the lookups of another organization', async () => {
  const stranger = await serve((_request, response) => response.end('hello'));
  const { asked, resolve } = slowServers();
  const ask = outboundWith('127.0.0.1', resolve);
  const timeoutMs = 300;
  const slow = Array.from({ length: 20 }, (_, at) => ask(`http://slow${at}.example/`, { orgId: 'flood', timeoutMs }));
  const late = Promise.allSettled(slow);
  const fast = Array.from({ length: 5 }, (_, at) => ask(`http://fast${at}.example:${stranger.port}/`));
  expect((await Promise.all(fast)).map(({ body }) => body)).toEqual(Array(5).fill('hello'));
  const timedOut = { status: 'rejected', reason: { code: 'timeout', isRetryable: true } };
  expect(await late).toMatchObject(Array(20).fill(timedOut));
  // Lookups use two of the four threads. An organization gets one of them at most, even if no other waits.
  expect(asked.filter((hostname) => hostname.startsWith('slow'))).toHaveLength(1);
});

test('a lookup that takes too long is abandoned, but keeps its slot until it ends', async () => {
  const { promise, resolve: answer } = Promise.withResolvers<LookupAddress[]>();
  const slots = new Slots(4);
  const lookups = new DnsLookups({ resolve: () => promise, slots, timeoutMs: 20 });
  await expect(lookups.find('a', 'slow.example', signal)).rejects.toMatchObject({
    code: 'timeout',
    message: 'The DNS lookup of slow.example took longer than 20 ms.',
  });
  expect(slots.free).toBe(3);
  answer([address]);
  await expect(lookups.find('a', 'slow.example', signal)).resolves.toEqual([address]);
  await promise;
  expect(slots.free).toBe(4);
});

test('concurrent lookups of one name are coalesced, and a failed one frees its slot', async () => {
  const slots = new Slots(4);
  let count = 0;
  const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: `ENOTFOUND${++count}` }));
  const lookups = new DnsLookups({ resolve, slots });
  const found = await Promise.allSettled(Array.from({ length: 9 }, () => lookups.find('a', 'no.example', signal)));
  expect(found.every(({ status }) => status === 'rejected')).toBe(true);
  expect([count, slots.free]).toEqual([1, 4]);
});
