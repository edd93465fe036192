import { count, markdownTable, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import { type WriteName, writeWorkloads } from './workloads.ts';
import type { WriteFigures } from './writes.ts';

const batchItems = 500;

interface Row {
  /** The write that this one is compared with. */
  with: 'post' | 'upsert_new';
  records: number;
  target?: number;
}

const rows: Record<Exclude<WriteName, 'feed'>, Row> = {
  keyed: { with: 'post', records: 1, target: 0.7 },
  upsert_new: { with: 'post', records: 1, target: 0.4 },
  upsert_known: { with: 'post', records: 1 },
  batch: { with: 'post', records: batchItems, target: 3 },
  upsert_batch: { with: 'upsert_new', records: batchItems, target: 5 },
};

const feedMsMax = 2;

/** Compares other ways to write with plain creates, and shows the latency of the feed. */
export function writesTables(figures: WriteFigures): string {
  const head = ['write', 'records/s', 'p50 ms', 'p99 ms', 'compared with', 'ratio', 'target', 'holds'];
  const body = Object.entries(rows).map(([name, { with: base, records, target }]) => {
    const measured = figures[name as keyof typeof rows];
    const perSecond = measured.requestsPerSecond * records;
    const times = perSecond / figures[base].requestsPerSecond;
    return [
      writeWorkloads[name as keyof typeof rows].title,
      count(perSecond),
      milliseconds(measured.p50Ms),
      milliseconds(measured.p99Ms),
      base === 'post' ? 'POST' : writeWorkloads[base].title,
      ratio(times),
      target ? `≥ ${target}` : 'none set',
      target ? yesOrNo(times >= target) : '',
    ];
  });
  const post = [
    'POST',
    count(figures.post.requestsPerSecond),
    milliseconds(figures.post.p50Ms),
    milliseconds(figures.post.p99Ms),
  ];
  const { p50Ms, p99Ms } = figures.feed;
  const feed = `100 events after a cursor, 1 connection: p50 ${milliseconds(p50Ms)} ms, p99 ${milliseconds(p99Ms)} ms (target: p50 ≤ ${feedMsMax} ms, holds: ${yesOrNo(p50Ms <= feedMsMax)}).`;
  return [markdownTable(head, [[...post, '', '', '', ''], ...body]), feed].join('\n\n');
}
