import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Durations } from './measure.ts';
import { neighbours } from './neighbours.ts';
import { reportOf, type Row } from './report.ts';
import { type BedServers, openBedServers } from '@relata/testbed/service-bed';
import { Standstill } from '@relata/testbed/standstill';
import { copyPreparedPostgres } from '@relata/testing';
import { runRow } from './suite.ts';

/**
 * Rows for locks of records, batches of creates, and connections and file descriptors of the records API. Tests of the
 * apps cover the receiver's memory for bodies, the worker's slots and the event loops. `npm run neighbours` covers all
 * of them.
 */
const shortRows = ['V1', 'V2', 'slow-senders', 'V7'];
const durations: Durations = { warmUpMs: 300, baselineMs: 1_000, floodMs: 1_500, afterMs: 200, isFull: false };
/**
 * Wider bounds than those of the suite, because other tests use the same cores. The effects that the suite measures
 * take seconds.
 */
const bounds = { floorMs: 60, longestMs: 2_000 };

/**
 * Number of attempts. The machine or other tests may delay the other organization once, but a flood does so each time.
 */
const attemptsMax = 3;
const isOfTime = (fault: string) => fault.endsWith(' ms allowed');

let servers: BedServers;
const said: string[] = [];
const stop = new AbortController();

beforeAll(async () => {
  servers = await openBedServers('neighbours', stop.signal, copyPreparedPostgres);
});

afterAll(() => servers[Symbol.asyncDispose]());

test.each(shortRows)('a flood by one organization does not delay or fail requests of others: row %s', async (name) => {
  const row = neighbours.find((one) => one.name === name)!;
  const say = (line: string) => void said.push(line);
  let result: Row;
  for (let [attempt, isHeldUp] = [0, true]; isHeldUp && attempt < attemptsMax; attempt++) {
    using standstill = new Standstill();
    result = await runRow(row, servers, { durations, ...bounds, say });
    isHeldUp = result.faults.length > 0 && (standstill.lostMs > 0 || result.faults.every(isOfTime));
  }
  expect(
    result!.faults,
    [...said, reportOf([result!], bounds), JSON.stringify(result!.measured?.figures)].join('\n'),
  ).toEqual([]);
});
