import { statement } from '@relata/db';
import type { AppSlot } from '../test-bed/app-slot.ts';
import type { Fault } from './fault.ts';
import type { TestBed } from '../test-bed/test-bed.ts';
import { until } from '@relata/testbed/until';

const noticedTimeoutMs = 30_000;

/** Sends a signal that ends the process, and returns when its successor is ready. */
async function replace(slot: AppSlot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { pid } = slot;
  // Another fault has ended it, and it is being restarted.
  if (pid === undefined) return;
  slot.send(signal);
  await slot.replaced(pid);
}

interface HeldRun {
  id: string;
  epoch: number;
}

/** A worker's name in the database carries its process id. */
const held = statement<HeldRun>(
  'chaos.held',
  `SELECT id, epoch FROM workflow_runs WHERE status = 'running' AND worker LIKE '%-' || $1::text || '-%'`,
);

const stillHeld = statement<HeldRun>(
  'chaos.still_held',
  `SELECT r.id, r.epoch FROM workflow_runs r JOIN unnest($1::uuid[], $2::integer[]) AS h (id, epoch)
     ON r.id = h.id AND r.epoch = h.epoch WHERE r.status = 'running'`,
);

interface Holder {
  slot: AppSlot;
  pid: number;
  runs: HeldRun[];
}

/** Freezes a worker with active runs; runs that it finished before it was frozen are not included. */
async function freeze(bed: TestBed): Promise<Holder> {
  return until('a worker has active runs', async () => {
    const slot = bed.random.pick(bed.workers);
    const { pid } = slot;
    if (pid === undefined || (await heldBy(bed, pid)).length === 0) return undefined;
    slot.send('SIGSTOP');
    const runs = await heldBy(bed, pid).catch(() => []);
    if (runs.length > 0) return { slot, pid, runs };
    slot.send('SIGCONT');
    return undefined;
  });
}

function heldBy({ database }: TestBed, pid: number): Promise<HeldRun[]> {
  return database.query(held, [String(pid)]);
}

async function freezeBeyondLease(bed: TestBed): Promise<void> {
  const { slot, runs } = await freeze(bed);
  const values = [runs.map(({ id }) => id), runs.map(({ epoch }) => epoch)];
  try {
    await until('others have taken the runs of a frozen worker', async () => {
      return (await bed.database.query(stillHeld, values)).length === 0;
    });
  } finally {
    slot.send('SIGCONT');
  }
  bed.thaws.push({ overtaken: runs.length, fenced: await fencedOf(slot) });
}

/** The counts at the last look, by process: a worker may be frozen several times. */
const seen = new Map<number, number>();

async function fencedOf(slot: AppSlot): Promise<number> {
  const pid = slot.pid ?? 0;
  const before = seen.get(pid) ?? 0;
  const count = await until(
    'a thawed worker notices that its runs are gone',
    async () => {
      const found = [...(await slot.metrics())].filter(([name]) =>
        /^workflow_(runs_total\{ending="lost"|leases_lost_total)/.test(name),
      );
      const total = found.reduce((sum, [, value]) => sum + value, 0);
      return total > before ? total : undefined;
    },
    noticedTimeoutMs,
  ).catch(() => before);
  seen.set(pid, count);
  return count - before;
}

async function killWithRuns(bed: TestBed): Promise<void> {
  const { slot, pid } = await freeze(bed);
  slot.send('SIGKILL');
  await slot.replaced(pid);
}

export const appFaults: readonly Fault[] = [
  { name: 'worker-kill', on: 'worker', inject: killWithRuns },
  { name: 'worker-stop', on: 'worker', inject: (bed) => replace(bed.random.pick(bed.workers), 'SIGTERM') },
  { name: 'worker-freeze', on: 'worker', inject: freezeBeyondLease },
  { name: 'receiver-kill', on: 'receiver', inject: (bed) => replace(bed.random.pick(bed.receivers), 'SIGKILL') },
  { name: 'receiver-stop', on: 'receiver', inject: (bed) => replace(bed.random.pick(bed.receivers), 'SIGTERM') },
  { name: 'api-kill', on: 'api', inject: (bed) => replace(bed.random.pick(bed.apis), 'SIGKILL') },
  { name: 'api-stop', on: 'api', inject: (bed) => replace(bed.random.pick(bed.apis), 'SIGTERM') },
];
