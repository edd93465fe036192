import type { Program } from '@relata/testbed/program';
import { awaitEffects, post, postTo } from './burst.ts';
import { countActivities } from './effect.sql.ts';
import type { Service } from './service.ts';

/** Posts accepted per second by the floor, while the worker is stopped, and while it works off a backlog. */
export interface Beside {
  insertOnlyPerSecond: number;
  idlePerSecond: number;
  busyPerSecond: number;
  /** Number of unfinished runs when the last post of the busy phase was answered. */
  leftBusy: number;
}

/**
 * Measures how fast deliveries that start a run are accepted, while the worker is stopped and while it is busy. The
 * floor is a receiver that only inserts each post, beside a worker that has nothing to do.
 */
export async function measureBeside(service: Service, insertOnly: Program, count: number): Promise<Beside> {
  const floor = await postTo(insertOnly.url, service, count);
  const idle = await whileStopped(service, () => post(service, count));
  await awaitEffects(service);
  await whileStopped(service, () => post(service, count));
  const busy = await post(service, count);
  const left = await effectsLeft(service);
  await awaitEffects(service);
  return {
    insertOnlyPerSecond: perSecond(floor, count),
    idlePerSecond: perSecond(idle, count),
    busyPerSecond: perSecond(busy, count),
    leftBusy: left,
  };
}

async function whileStopped<Result>({ worker }: Service, work: () => Promise<Result>): Promise<Result> {
  process.kill(worker.pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(worker.pid, 'SIGCONT');
  }
}

async function effectsLeft({ database, posted }: Service): Promise<number> {
  return posted - (await countActivities(database));
}

function perSecond({ startedAt, answeredAt }: { startedAt: number; answeredAt: number }, count: number): number {
  return (count * 1_000) / (answeredAt - startedAt);
}
