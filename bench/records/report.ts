import { tableOf } from '../table.ts';
import { count, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { Growth } from './growth.ts';
import type { Comparison } from './throughput.ts';
import type { WorkloadName } from './workloads.ts';

interface Target {
  requests: number;
  p99?: number;
}

const targets: Partial<Record<WorkloadName, Target>> = {
  get: { requests: 0.7, p99: 2 },
  page: { requests: 4 },
  patch: { requests: 0.7, p99: 2 },
  post: { requests: 0.7, p99: 2 },
  mixed: { requests: 0.7, p99: 2 },
};

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const requestsOf = ({ floor, relata }: Comparison) => relata.requestsPerSecond / floor.requestsPerSecond;
  const p99Of = ({ floor, relata }: Comparison) => relata.p99Ms / floor.p99Ms;
  const targetOf = ({ workload }: Comparison) => targets[workload.name];
  return tableOf(
    comparisons,
    ['workload', ({ workload }) => workload.title],
    ['floor req/s', ({ floor }) => count(floor.requestsPerSecond)],
    ['Relata req/s', ({ relata }) => count(relata.requestsPerSecond)],
    ['ratio', (row) => ratio(requestsOf(row))],
    ['floor p99 ms', ({ floor }) => milliseconds(floor.p99Ms)],
    ['Relata p99 ms', ({ relata }) => milliseconds(relata.p99Ms)],
    ['ratio', (row) => ratio(p99Of(row))],
    ['target', (row) => titleOf(targetOf(row))],
    ['holds', (row) => (targetOf(row) ? yesOrNo(holds(targetOf(row)!, requestsOf(row), p99Of(row))) : '')],
  );
}

const titleOf = (target: Target | undefined) =>
  target ? `≥ ${target.requests}${target.p99 ? `, p99 ≤ ${target.p99}` : ''}` : 'none set';

const holds = (target: Target, requests: number, p99: number) =>
  requests >= target.requests && p99 <= (target.p99 ?? Infinity);

export function growthTables({ pages, creates }: Growth): string {
  const { small, large, deep } = pages;
  const pageRows = [
    ['first page of 10,000', small, undefined, 0],
    ['first page of 1,000,000', large, small, 2],
    ['page at offset 100,000 of 1,000,000', deep, large, 10],
  ] as const;
  const createRows = [
    ['POST', creates.alone],
    ['POST beside a client that pages', creates.besidePages],
  ] as const;
  type PageRow = (typeof pageRows)[number];
  const timesOf = ([, own, base]: PageRow) => (base ? own.alone.p50Ms / base.alone.p50Ms : 1);
  const lessOf = ([, own, base]: PageRow) =>
    base ? base.together.requestsPerSecond / own.together.requestsPerSecond : 1;
  const compared = (row: PageRow, text: string) => (row[2] ? text : '');
  const shareOf = ([, { kept, notKept }]: (typeof createRows)[number]) =>
    kept.requestsPerSecond / notKept.requestsPerSecond;
  return [
    tableOf<PageRow>(
      pageRows,
      ['list', ([title]) => title],
      ['p50 ms, 1 connection', ([, own]) => milliseconds(own.alone.p50Ms)],
      ['times the row above', (row) => compared(row, ratio(timesOf(row)))],
      ['req/s, 32 connections', ([, own]) => count(own.together.requestsPerSecond)],
      ['row above ÷ this row', (row) => compared(row, ratio(lessOf(row)))],
      ['target', (row) => compared(row, `≤ ${row[3]}`)],
      ['holds', (row) => compared(row, yesOrNo(timesOf(row) <= row[3] && lessOf(row) <= row[3]))],
    ),
    tableOf<(typeof createRows)[number]>(
      createRows,
      ['creates among 1,000,000', ([title]) => title],
      ['req/s, totals not kept', ([, { notKept }]) => count(notKept.requestsPerSecond)],
      ['req/s, totals kept', ([, { kept }]) => count(kept.requestsPerSecond)],
      ['ratio', (row) => ratio(shareOf(row))],
      ['target', () => '≥ 0.9'],
      ['holds', (row) => yesOrNo(shareOf(row) >= 0.9)],
    ),
  ].join('\n\n');
}
