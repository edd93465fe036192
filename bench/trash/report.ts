import { count, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { LoadResult } from '@relata/testbed/load';
import { tableOf } from '../table.ts';
import { batchItems, type DeleteFigures } from './deletes.ts';
import { linksCount, losersCount } from './merges.ts';

interface Row {
  title: string;
  name: keyof DeleteFigures;
  records: number;
  /** The row that this one is compared with, and the minimum ratio. */
  target?: readonly [name: 'patch' | 'remove', ratio: number];
}

const rows: readonly Row[] = [
  { title: 'PATCH of two fields', name: 'patch', records: 1 },
  { title: 'DELETE', name: 'remove', records: 1, target: ['patch', 0.6] },
  { title: `batch of ${batchItems} deletes`, name: 'batch', records: batchItems, target: ['remove', 2] },
];

const titles = { patch: 'PATCH', remove: 'DELETE' };

export function deletesTable(figures: DeleteFigures): string {
  const perSecond = ({ name, records }: Row) => figures[name].requestsPerSecond * records;
  const timesOf = (row: Row) => (row.target ? perSecond(row) / figures[row.target[0]].requestsPerSecond : 1);
  return tableOf<Row>(
    rows,
    ['write', ({ title }) => title],
    ['records/s', (row) => count(perSecond(row))],
    ['p50 ms', ({ name }) => milliseconds(figures[name].p50Ms)],
    ['p99 ms', ({ name }) => milliseconds(figures[name].p99Ms)],
    ['compared with', ({ target }) => (target ? titles[target[0]] : '')],
    ['ratio', (row) => (row.target ? ratio(timesOf(row)) : '')],
    ['target', ({ target }) => (target ? `≥ ${target[1]}` : '')],
    ['holds', (row) => (row.target ? yesOrNo(timesOf(row) >= row.target[1]) : '')],
  );
}

const mergeMsMax = 500;

export function mergesLine({ p50Ms, p99Ms }: LoadResult): string {
  const holds = yesOrNo(p99Ms <= mergeMsMax);
  return `Merge of ${losersCount} contacts with ${count(linksCount)} links, 1 connection: p50 ${milliseconds(p50Ms)} ms, p99 ${milliseconds(p99Ms)} ms (target: p99 ≤ ${mergeMsMax} ms, holds: ${holds}).`;
}
