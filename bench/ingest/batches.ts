import { readMetrics } from '@relata/testbed/metrics';
import type { Program } from '@relata/testbed/program';

/** Number of commits, and of the deliveries that they stored. */
export interface BatchSizes {
  commits: number;
  deliveries: number;
  /** Number of commits that stored at most `size` deliveries, sorted by size. */
  atMost: { size: number; commits: number }[];
}

const name = 'webhook_batch_size';

/** Reads the receiver's counts since its start. */
export async function readBatches({ metricsUrl }: Program): Promise<BatchSizes> {
  const page = await (await fetch(metricsUrl!)).text();
  const metrics = [...readMetrics(page)].filter(([key]) => key.startsWith(name));
  const valueOf = (suffix: string) => metrics.find(([key]) => key.startsWith(`${name}_${suffix}`))?.[1] ?? 0;
  const atMost = metrics.flatMap(([key, commits]) => {
    const size = /le="(\d+)"/.exec(key)?.[1];
    return size === undefined ? [] : [{ size: Number(size), commits }];
  });
  return { commits: valueOf('count'), deliveries: valueOf('sum'), atMost };
}

export function batchesSince(before: BatchSizes, after: BatchSizes): BatchSizes {
  return {
    commits: after.commits - before.commits,
    deliveries: after.deliveries - before.deliveries,
    atMost: after.atMost.map(({ size, commits }, i) => ({ size, commits: commits - (before.atMost[i]?.commits ?? 0) })),
  };
}
