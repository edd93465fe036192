import { count, markdownTable, milliseconds, ratio } from '@relata/testbed/markdown';
import type { Measured } from '@relata/testbed/rounds';

/** A workload at two checkouts. */
export interface AgainstBefore {
  title: string;
  connections: number;
  before: Measured;
  now: Measured;
}

export function beforeTable(compared: readonly AgainstBefore[]): string {
  const head = [
    'workload',
    'connections',
    'before req/s',
    'now req/s',
    'ratio',
    'before p50 ms',
    'now p50 ms',
    'ratio',
    'before p99 ms',
    'now p99 ms',
    'ratio',
  ];
  return markdownTable(head, compared.map(row));
}

function row({ title, connections, before, now }: AgainstBefore): string[] {
  const latency = (field: 'p50Ms' | 'p99Ms') => [
    milliseconds(before[field]),
    milliseconds(now[field]),
    ratio(now[field] / before[field]),
  ];
  return [
    title,
    count(connections),
    count(before.requestsPerSecond),
    count(now.requestsPerSecond),
    ratio(now.requestsPerSecond / before.requestsPerSecond),
    ...latency('p50Ms'),
    ...latency('p99Ms'),
  ];
}
