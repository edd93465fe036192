import { readFileSync } from 'node:fs';
import { numberIn, rowWith, tableIn } from './markdown.ts';

/** µs of processor. */
interface Cost {
  app: number;
  database: number;
}

/** Costs, read from a page like docs/benchmarks.md. */
export interface Costs {
  delivery: Cost;
  /** A delivery that starts a workflow, without the run. */
  startingDelivery: Cost;
  /** A run with two records and its delivery; `app` is the worker. */
  run: Cost;
  /** Like `run`, in a database with many rows. */
  laterRun: Cost;
  create: Cost;
  /** An answer of the built-in model. */
  answer: number;
  /** Runs a second of one worker, with many rows, a fresh database and neither. */
  runsPerSecond: { later: number; least: number; most: number };
  /** Reads of a record a second of one process, and first pages. */
  reads: number;
  firstPages: number;
  /** The least and the most that an app took under full load, but the chat. */
  residentMb: readonly [least: number, most: number];
}

const laterRows = /^[\d,]+ deliveries, runs, journals$/;

/** Throws where the page has no such table. */
export function costsIn(page: string): Costs {
  const deliveries = tableIn(page, 'a delivery starts', 'µs of receiver a delivery');
  const deliveryOf = (starts: string) => {
    const row = rowWith(deliveries, { 'a delivery starts': starts, connections: '64' });
    return costOf(row, 'µs of receiver a delivery', 'µs of PostgreSQL a delivery');
  };
  const bursts = tableIn(page, 'rows before', 'µs of worker a run');
  const later = bursts.find((row) => laterRows.test(row['rows before']!));
  if (!later) throw new Error('No runs were measured with many rows before.');
  const runOf = (row: (typeof bursts)[number]) => costOf(row, 'µs of worker a run', 'µs of PostgreSQL a run');
  const rates = bursts.map((row) => numberIn(row, 'runs/s'));
  const writes = tableIn(page, 'write', 'records a transaction');
  const builtIn = tableIn(page, 'the built-in model', 'µs of processor an answer');
  const requests = tableIn(page, 'workload', 'floor req/s', 'Relata req/s');
  const requestsOf = (workload: string) => numberIn(rowWith(requests, { workload }), 'Relata req/s');
  return {
    delivery: deliveryOf('no workflow'),
    startingDelivery: deliveryOf('one workflow'),
    run: runOf(rowWith(bursts, { 'rows before': 'none' })),
    laterRun: runOf(later),
    create: costOf(rowWith(writes, { write: 'POST' }), 'Node', 'PostgreSQL'),
    answer: numberIn(builtIn[0]!, 'µs of processor an answer'),
    runsPerSecond: { later: numberIn(later, 'runs/s'), least: Math.min(...rates), most: Math.max(...rates) },
    reads: requestsOf('GET by id'),
    firstPages: requestsOf('first page of 25 with total'),
    residentMb: residentMbIn(page),
  };
}

function costOf(row: ReturnType<typeof rowWith>, app: string, database: string): Cost {
  return { app: numberIn(row, app), database: numberIn(row, database) };
}

function residentMbIn(page: string): [number, number] {
  const inTable = tableIn(page, 'resident memory', 'at most MB').map((row) => numberIn(row, 'at most MB'));
  const inWords = [...page.matchAll(/^Resident memory of .* at most (\d+) MB/gm)].map(([, mb]) => Number(mb));
  const all = [...inTable, ...inWords];
  return [Math.min(...all), Math.max(...all)];
}

/** Returns the memory of apps under the floods of a page like docs/neighbours.md, the largest first. */
export function floodsIn(page: string): { app: string; mb: number }[] {
  const found = [...page.matchAll(/\b([a-z][a-z-]+) (\d+) MB of \d+ MB/g)].map(([, app, mb]) => ({
    app: app!,
    mb: Number(mb),
  }));
  if (found.length === 0) throw new Error('No flood says what an app took.');
  return found.toSorted((a, b) => b.mb - a.mb);
}

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

export const costs = costsIn(read('benchmarks.md'));
export const floods = floodsIn(read('neighbours.md'));
