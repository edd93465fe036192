import { MemoryWatch } from '@relata/testbed/memory';
import { say } from '@relata/testbed/suite-program';
import { type Burst, measureBurst, warmUp } from './burst.ts';
import { type Beside, measureBeside } from './beside.ts';
import { tidyUp } from './delivery.sql.ts';
import { type Latency, measureLatency } from './latency.ts';
import { loadOldDeliveries } from './old-deliveries.sql.ts';
import type { IngestPlan } from './plan.ts';
import { openPosts, type Service, type ServiceContext, startService } from './service.ts';
import type { IngestDatabase } from './ingest-database.ts';
import type { TestBed } from './test-bed.ts';

const before = ['none', 'old'] as const;
export type Before = (typeof before)[number];

export interface Runs {
  latencies: Record<Before, Latency[]>;
  bursts: Record<Before, Burst[]>;
  besides: Beside[];
  /** A burst on a database without planner statistics, right after its processes have started. */
  first: Burst;
  residentBytesMax: { receiver: number | undefined; worker: number | undefined };
}

interface RunsOptions {
  bed: TestBed;
  databases: Record<Before | 'fresh', IngestDatabase>;
  plan: IngestPlan;
}

/** Measures latency and throughput of runs, alternately on a database without old rows and on one with many. */
export async function measureRuns({ bed, databases, plan }: RunsOptions): Promise<Runs> {
  say(`loading ${plan.oldDeliveries.toLocaleString('en-US')} old deliveries, runs and journals`);
  await loadOldDeliveries(databases.old, plan.oldDeliveries);
  await using posts = openPosts();
  say('posts as they are accepted, on a fresh database');
  const first = await measureFirst({ bed, database: databases.fresh, posts }, plan.burstPosts);
  const start = (name: Before) => startService({ bed, database: databases[name], posts }, { prefix: name });
  await using none = await start('none');
  await using old = await start('old');
  const services: Record<Before, Service> = { none, old };
  using receivers = new MemoryWatch(none.receiver.pid, old.receiver.pid);
  using workers = new MemoryWatch(none.worker.pid, old.worker.pid);
  for (const name of before) {
    await warmUp(services[name], plan.warmUpPosts);
    // Collects statistics, so that PostgreSQL replaces plans that it made for empty tables.
    await tidyUp(databases[name]);
  }
  const byTurns = async <Result>(title: string, measure: (service: Service) => Promise<Result>) => {
    const results: Record<Before, Result[]> = { none: [], old: [] };
    for (let round = 1; round <= plan.rounds; round++) {
      say(`${title}, round ${round}`);
      for (const name of before) {
        results[name].push(await measure(services[name]));
        for (const tidied of before) await tidyUp(databases[tidied]);
      }
    }
    return results;
  };
  const latencies = await byTurns('posts at an even rate', (service) => measureLatency(service, plan.pacedPosts));
  const bursts = await byTurns('posts as they are accepted', (service) => measureBurst(service, plan.burstPosts));
  await using insertOnly = await bed.startInsertOnly(databases.none);
  const besides: Beside[] = [];
  for (let round = 1; round <= plan.rounds; round++) {
    say(`posts beside a busy worker, round ${round}`);
    besides.push(await measureBeside(none, insertOnly, plan.besidePosts));
    await tidyUp(databases.none);
  }
  return {
    latencies,
    bursts,
    besides,
    first,
    residentBytesMax: { receiver: receivers.maxBytes, worker: workers.maxBytes },
  };
}

async function measureFirst(context: ServiceContext, count: number): Promise<Burst> {
  await using service = await startService(context, { prefix: 'fresh' });
  return await measureBurst(service, count);
}
