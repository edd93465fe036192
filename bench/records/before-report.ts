import { tableOf } from '../table.ts';
import { count, milliseconds, ratio } from '@relata/testbed/markdown';
import type { Measured } from '@relata/testbed/rounds';

export interface AgainstBefore {
  title: string;
  connections: number;
  before: Measured;
  now: Measured;
}

export function beforeTable(compared: readonly AgainstBefore[]): string {
  const latency = (name: string, field: 'p50Ms' | 'p99Ms') =>
    [
      [`before ${name} ms`, ({ before }: AgainstBefore) => milliseconds(before[field])],
      [`now ${name} ms`, ({ now }: AgainstBefore) => milliseconds(now[field])],
      ['ratio', ({ before, now }: AgainstBefore) => ratio(now[field] / before[field])],
    ] as const;
  return tableOf(
    compared,
    ['workload', ({ title }) => title],
    ['connections', ({ connections }) => count(connections)],
    ['before req/s', ({ before }) => count(before.requestsPerSecond)],
    ['now req/s', ({ now }) => count(now.requestsPerSecond)],
    ['ratio', ({ before, now }) => ratio(now.requestsPerSecond / before.requestsPerSecond)],
    ...latency('p50', 'p50Ms'),
    ...latency('p99', 'p99Ms'),
  );
}
