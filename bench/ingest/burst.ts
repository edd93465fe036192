import { setTimeout as pause } from 'node:timers/promises';
import { type CpuSeconds, withCpu } from '@relata/testbed/cpu';
import { countActivities, effectsSince } from './effect.sql.ts';
import { burstConnections } from './plan.ts';
import type { Service } from './service.ts';

/** Figures of posts that are sent as fast as they are accepted, and of the runs that they start. */
export interface Burst {
  posts: number;
  acceptedSeconds: number;
  doneSeconds: number;
  runsPerSecond: number;
  cpu: CpuSeconds<CpuUser>;
}

type CpuUser = 'receiver' | 'worker' | 'postgres' | 'nats';

const pollMs = 50;
const patienceMs = 600_000;

export async function measureBurst(service: Service, count: number): Promise<Burst> {
  const { bed, receiver, worker } = service;
  const pids = { receiver: receiver.pid, worker: worker.pid, ...bed.pids };
  const { result, cpu } = await withCpu(pids, async () => {
    const posted = await post(service, count);
    await awaitEffects(service);
    return posted;
  });
  const { startedAt, answeredAt } = result;
  const { lastAt, ...done } = await effectsSince(service.database, startedAt);
  for (const [what, number] of Object.entries(done))
    if (number !== count) throw new Error(`Expected ${count} ${what}, one for each accepted post, found ${number}.`);
  const doneSeconds = (lastAt - startedAt) / 1_000;
  const acceptedSeconds = (answeredAt - startedAt) / 1_000;
  return { posts: count, acceptedSeconds, doneSeconds, runsPerSecond: count / doneSeconds, cpu };
}

export async function warmUp(service: Service, count: number): Promise<void> {
  await post(service, count);
  await awaitEffects(service);
}

export async function post(service: Service, count: number) {
  const result = await postTo(service.receiver.url, service, count);
  service.posted += count;
  return result;
}

/** Sends the next leads to the receiver at this address. */
export function postTo(url: string, { database, posts, posted: from }: Service, count: number) {
  const { path, headers } = database.targets[1];
  return posts.run({ url, path, headers, from, count, rate: { connections: burstConnections } });
}

/** Waits until every lead that was posted has an activity. */
export async function awaitEffects({ database, posted }: Service): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let count = 0; (count = await countActivities(database)) < posted; await pause(pollMs))
    if (Date.now() > deadline) throw new Error(`Only ${count} of ${posted} accepted posts have an effect.`);
}
