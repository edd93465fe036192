import { count, markdownTable, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import type { Growth } from './growth.ts';
import type { Comparison } from './throughput.ts';
import type { WorkloadName } from './workloads.ts';

/** The targets; see the issue that set them. */
const targets: Partial<Record<WorkloadName, { requests: number; p99?: number }>> = {
  get: { requests: 0.7, p99: 2 },
  page: { requests: 4 },
  patch: { requests: 0.7, p99: 2 },
  post: { requests: 0.7, p99: 2 },
  mixed: { requests: 0.7, p99: 2 },
};
const residentMegabytesMax = 200;

export function comparisonTable(comparisons: readonly Comparison[]): string {
  const head = [
    'workload',
    'floor req/s',
    'Relata req/s',
    'ratio',
    'floor p99 ms',
    'Relata p99 ms',
    'ratio',
    'target',
    'holds',
  ];
  return markdownTable(head, comparisons.map(comparisonRow));
}

function comparisonRow({ workload, floor, relata }: Comparison): string[] {
  const requests = relata.requestsPerSecond / floor.requestsPerSecond;
  const p99 = relata.p99Ms / floor.p99Ms;
  const target = targets[workload.name];
  const holds = !target || (requests >= target.requests && p99 <= (target.p99 ?? Infinity));
  return [
    workload.title,
    count(floor.requestsPerSecond),
    count(relata.requestsPerSecond),
    ratio(requests),
    milliseconds(floor.p99Ms),
    milliseconds(relata.p99Ms),
    ratio(p99),
    target ? `≥ ${target.requests}${target.p99 ? `, p99 ≤ ${target.p99}` : ''}` : 'none set',
    target ? yesOrNo(holds) : '',
  ];
}

export function memoryLine(bytes: number | undefined): string {
  if (bytes === undefined) return 'Resident memory is only known on Linux.';
  const megabytes = bytes / 1e6;
  const holds = yesOrNo(megabytes < residentMegabytesMax);
  return `Resident memory of Relata under this load: at most ${count(megabytes)} MB (target: under ${residentMegabytesMax} MB, holds: ${holds}).`;
}

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
  const pageHead = [
    'list',
    'p50 ms, 1 connection',
    'times the one above',
    'req/s, 32 connections',
    'times less',
    'target',
    'holds',
  ];
  const createHead = [
    'creates among 1,000,000',
    'req/s, totals not kept',
    'req/s, totals kept',
    'ratio',
    'target',
    'holds',
  ];
  return [
    markdownTable(
      pageHead,
      pageRows.map(([title, one, base, most]) => {
        const latency = base ? one.alone.p50Ms / base.alone.p50Ms : 1;
        const less = base ? base.together.requestsPerSecond / one.together.requestsPerSecond : 1;
        const figures = [
          milliseconds(one.alone.p50Ms),
          base ? ratio(latency) : '',
          count(one.together.requestsPerSecond),
        ];
        const judged = base ? [ratio(less), `≤ ${most}`, yesOrNo(latency <= most && less <= most)] : ['', '', ''];
        return [title, ...figures, ...judged];
      }),
    ),
    markdownTable(
      createHead,
      createRows.map(([title, { notKept, kept }]) => {
        const share = kept.requestsPerSecond / notKept.requestsPerSecond;
        return [
          title,
          count(notKept.requestsPerSecond),
          count(kept.requestsPerSecond),
          ratio(share),
          '≥ 0.9',
          yesOrNo(share >= 0.9),
        ];
      }),
    ),
  ].join('\n\n');
}
