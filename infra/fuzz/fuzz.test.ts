import { expect, test } from 'vitest';
import { openBedServers } from '@relata/testbed/service-bed';
import { copyPreparedPostgres } from '@relata/testing';
import { runFuzz } from './fuzz.ts';

test('no hostile request gets 5xx, and lists name the parameters that they refuse (found A5, B4.4)', async () => {
  const stop = new AbortController();
  await using servers = await openBedServers('fuzz', stop.signal, copyPreparedPostgres);
  const { statuses, faults } = await runFuzz({ servers, seed: 7, requests: 1_000, signal: stop.signal, say: () => {} });
  expect(faults).toEqual([]);
  for (const counts of Object.values(statuses))
    // Some of the requests reach their targets.
    expect(Object.keys(counts)).toEqual(expect.arrayContaining([expect.stringMatching(/^2/), '400', '401', '404']));
}, 300_000);
