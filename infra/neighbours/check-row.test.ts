import { expect, test } from 'vitest';
import { checkRow } from './check-row.ts';
import type { Measured, MemoryBound } from './neighbour.ts';
import type { Latencies } from './probe/probe.ts';
import { reportOf } from './report.ts';
import { neighbours } from './neighbours.ts';

const row = {
  probes: ['get'],
  responses: { status: [200] },
  memory: { app: 'records-api', mostMb: 300 } as MemoryBound,
} as const;
const options = { floorMs: 10, longestMs: 600 };

const latencies = (p99Ms: number, more: Partial<Latencies> = {}): Latencies => ({
  asked: 120,
  count: 100,
  p50Ms: 2,
  p99Ms,
  longestMs: p99Ms,
  failures: {},
  ...more,
});

/** A measurement that passes, with the changes of a test. */
function measuredWith({ flooded = latencies(50), baseline = latencies(20), ...more }: Forgery = {}): Measured {
  const probes = [{ probe: 'get' as const, baseline, flooded }];
  return {
    probes,
    hadEffect: true,
    memoryMb: 200,
    problems: [],
    figures: { 'status 200': 9, asked: 9 },
    ...more,
  };
}

type Forgery = Partial<Measured> & { flooded?: Latencies; baseline?: Latencies };

test('a row within its bounds holds', () => {
  expect(checkRow(row, measuredWith(), options)).toEqual([]);
});

const forgeries: [what: string, forgery: Forgery, fault: string][] = [
  ['a p99 beyond 3 times its baseline', { flooded: latencies(61) }, 'p99 61 ms, at most 60 ms allowed'],
  ['a p99 that is not a number', { flooded: latencies(Number.NaN) }, 'p99 NaN ms'],
  [
    'a single wait beyond its bound',
    { flooded: latencies(50, { longestMs: 601 }) },
    'longest wait 601 ms, at most 600 ms allowed',
  ],
  ['a flood that is refused', { figures: { 'status 200': 9, 'status 401': 2 } }, 'status 401, 2 times'],
  ['a flood that gets no answer', { figures: { 'status 0': 1 } }, 'status 0, 1 times'],
  ['a single 503', { flooded: latencies(50, { failures: { 503: 1 } }) }, '1 of 120 failed: 503'],
  ['a connection that broke', { flooded: latencies(50, { failures: { ECONNRESET: 2 } }) }, 'ECONNRESET'],
  ['a baseline that failed', { baseline: latencies(20, { failures: { 500: 3 } }) }, 'get alone: 3 of 120'],
  ['a baseline without requests', { baseline: latencies(20, { count: 0 }) }, 'get alone: nothing was measured'],
  ['a flood without requests of the probe', { flooded: latencies(50, { count: 0 }) }, 'nothing was measured'],
  ['a probe that is missing', { probes: [] }, 'get was not measured'],
  ['a flood without an effect', { hadEffect: false }, 'the flood had no effect'],
  ['memory beyond its bound', { memoryMb: 301 }, 'records-api had 301 MB, at most 300 MB allowed'],
  ['a process that ended', { problems: ['records-api ended (SIGABRT)'] }, 'records-api ended (SIGABRT)'],
];

test.each(forgeries)('a row does not hold with %s', (_what, forgery, fault) => {
  expect(checkRow(row, measuredWith(forgery), options)).toContainEqual(expect.stringContaining(fault));
});

test('a baseline below the floor counts as the floor', () => {
  const quiet = { baseline: latencies(2) };
  expect(checkRow(row, measuredWith({ ...quiet, flooded: latencies(30) }), options)).toEqual([]);
  expect(checkRow(row, measuredWith({ ...quiet, flooded: latencies(31) }), options)).toHaveLength(1);
});

test('the report shows which rows do not hold, and why', () => {
  const [first] = neighbours;
  const faults = ['worker ended (SIGABRT)'];
  const report = reportOf([{ row: first!, measured: measuredWith(), faults }], options);
  expect(report).toContain('**no**');
  expect(report).toContain(`- ${first!.name}: worker ended (SIGABRT)`);
  expect(report).toContain('2.00 / 20.0 ms');
  expect(reportOf([{ row: first!, measured: measuredWith(), faults: [] }], options)).not.toContain('**no**');
});

test('the report shows the longest wait, and the memory of a row that bounds it', () => {
  const measured = measuredWith({ flooded: latencies(50, { longestMs: 123 }) });
  const bounded = { ...neighbours[0]!, memory: row.memory };
  const report = reportOf([{ row: bounded, measured, faults: [] }], options);
  expect(report).toContain('| 123.0 ms | none | records-api 200 MB of 300 MB |');
});

test('every row has a name of its own, a probe and an app', () => {
  const names = neighbours.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(neighbours.filter(({ probes, apps }) => probes.length === 0 || apps.length === 0)).toEqual([]);
});
