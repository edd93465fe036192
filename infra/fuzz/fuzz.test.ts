import { expect, test } from 'vitest';
import { openBedServers } from '@relata/testbed/service-bed';
import { runFuzz } from './fuzz.ts';

test('the bundles answer hostile requests, and none of them with 5xx (found A5)', async () => {
  const stop = new AbortController();
  await using servers = await openBedServers('fuzz', stop.signal);
  const { statuses, faults } = await runFuzz({ servers, seed: 7, requests: 1_000, signal: stop.signal, say: () => {} });
  expect(faults).toEqual([]);
  for (const counts of Object.values(statuses))
    // Some of them reach what they are for.
    expect(Object.keys(counts)).toEqual(expect.arrayContaining([expect.stringMatching(/^2/), '400', '401', '404']));
}, 300_000);

test('lists and sums answer hostile queries, and every refusal names its parameters (B4.4, B4.5)', async () => {
  const stop = new AbortController();
  await using servers = await openBedServers('fuzz', stop.signal);
  const options = { servers, seed: 11, requests: 500, onlyLists: true, signal: stop.signal, say: () => {} };
  const { statuses, faults } = await runFuzz(options);
  expect(faults).toEqual([]);
  expect(statuses['records-api']).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) });
}, 300_000);
