import { count, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { Measured } from '@relata/testbed/rounds';
import { tableOf } from '../table.ts';
import type { FilteredPages } from './filtered-pages.ts';
import type { IndexCosts } from './index-costs.ts';
import { type Latency, targetMs } from './latencies.ts';
import type { SummaryLatency } from './summaries.ts';

export interface PagesComparison {
  pages: Omit<FilteredPages, 'requests'>;
  floor: Measured;
  relata: Measured;
}

const ratioMin = 4;

/** Compares filtered pages with the floor (acceptance B4.7). */
export function pagesTable(comparisons: readonly PagesComparison[]): string {
  if (comparisons.length === 0) return '';
  const ratioOf = ({ floor, relata }: PagesComparison) => relata.requestsPerSecond / floor.requestsPerSecond;
  return tableOf<PagesComparison>(
    comparisons,
    ['random pages of 25 with total, 32 connections', ({ pages }) => pages.title],
    ['matches', ({ pages }) => count(pages.matches)],
    ['floor req/s', ({ floor }) => count(floor.requestsPerSecond)],
    ['Relata req/s', ({ relata }) => count(relata.requestsPerSecond)],
    ['ratio', (row) => ratio(ratioOf(row))],
    [`≥ ${ratioMin}`, (row) => yesOrNo(ratioOf(row) >= ratioMin)],
    ['p99 ms, floor', ({ floor }) => milliseconds(floor.p99Ms)],
    ['p99 ms, Relata', ({ relata }) => milliseconds(relata.p99Ms)],
  );
}

const shown = 15;

/** Shows the slowest kinds of queries (acceptance B4.6). */
export function latenciesTable(all: readonly Latency[]): string {
  const tables = [false, true].flatMap((isPair) => {
    const goalMs = targetMs({ isPair });
    const own = all.filter((each) => each.isPair === isPair);
    if (own.length === 0) return [];
    const slow = own.filter(({ p99Ms }) => p99Ms > goalMs).length;
    const repeated = own.filter(({ isRepeated }) => isRepeated).length;
    const again = isPair ? `; ${repeated} were measured again with more requests` : '';
    const what = isPair ? 'pairs' : 'sorts and filters';
    return [
      `${own.length} kinds of ${what}, first page and deep cursor, one request at a time; p99 above ${goalMs} ms: ${slow}${again}.`,
      tableOf<Latency>(
        own.toSorted((a, b) => b.p99Ms - a.p99Ms).slice(0, shown),
        [`slowest ${what}`, ({ list, query }) => `${list}: ${query}`],
        ['page', ({ page }) => page],
        ['p50 ms', ({ p50Ms }) => milliseconds(p50Ms)],
        ['p99 ms', ({ p99Ms }) => milliseconds(p99Ms)],
        [`≤ ${goalMs}`, ({ p99Ms }) => yesOrNo(p99Ms <= goalMs)],
      ),
    ].join('\n\n');
  });
  return tables.join('\n\n');
}

/** Shows the times of summaries (acceptance B4.14). */
export function summariesTable(all: readonly SummaryLatency[]): string {
  const goalMs = ({ isExact }: SummaryLatency) => (isExact ? 2_000 : 150);
  if (all.length === 0) return '';
  return tableOf<SummaryLatency>(
    all,
    ['summaries of opportunities, one request at a time', ({ query }) => query],
    ['count', ({ isExact }) => (isExact ? 'exact' : 'up to 10,000')],
    ['p50 ms', ({ p50Ms }) => milliseconds(p50Ms)],
    ['p99 ms', ({ p99Ms }) => milliseconds(p99Ms)],
    ['target', (row) => `≤ ${count(goalMs(row))}`],
    ['holds', (row) => yesOrNo(row.p99Ms <= goalMs(row))],
  );
}

/** Shows the cost of the indexes of lists for writes and look-ups. */
export function indexCostsTable(all: readonly IndexCosts[]): string {
  const ratioOf = ({ without, indexed }: IndexCosts) => indexed.requestsPerSecond / without.requestsPerSecond;
  return tableOf<IndexCosts>(
    all,
    ['accounts, 32 connections', ({ workload }) => workload],
    ['req/s without indexes of lists', ({ without }) => count(without.requestsPerSecond)],
    ['req/s with them', ({ indexed }) => count(indexed.requestsPerSecond)],
    ['ratio', (row) => ratio(ratioOf(row))],
    ['target', ({ ratioMin }) => `≥ ${ratioMin}`],
    ['holds', (row) => yesOrNo(ratioOf(row) >= row.ratioMin)],
    ['PostgreSQL µs without', ({ without }) => count(without.postgresMicros)],
    ['with', ({ indexed }) => count(indexed.postgresMicros)],
    ['Node µs without', ({ without }) => count(without.nodeMicros)],
    ['with', ({ indexed }) => count(indexed.nodeMicros)],
  );
}
