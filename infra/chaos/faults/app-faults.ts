import { statement } from '@relata/db';
import type { AppSlot } from '../test-bed/app-slot.ts';
import type { Fault } from './fault.ts';
import type { TestBed } from '../test-bed/test-bed.ts';
import { until } from '@relata/testbed/until';

const noticedTimeoutMs = 30_000;

/** Sends a signal that ends the process, and returns when its successor is ready. */
async function replace(slot: AppSlot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { pid } = slot;
  // Another fault has ended the process, which is being restarted.
  if (pid === undefined) return;
  slot.send(signal);
  await slot.replaced(pid);
}

interface HeldRun {
  id: string;
  epoch: number;
}

/** Lists the active runs of a worker, whose name in the database contains its process id. */
const held = statement<HeldRun>(
  'chaos.held',
  `SELECT id, epoch FROM workflow_runs WHERE status = 'running' AND worker LIKE '%-' || $1::text || '-%'`,
);

const stillHeld = statement<HeldRun>(
  'chaos.still_held',
  `SELECT r.id, r.epoch FROM workflow_runs r JOIN unnest($1::uuid[], $2::integer[]) AS h (id, epoch)
     ON r.id = h.id AND r.epoch = h.epoch WHERE r.status = 'running'`,
);

/** Counts the runs whose next claim was by a worker that took them over, because their lease had expired. */
const takenOver = statement<{ n: number }>(
  'chaos.taken_over',
  `SELECT count(*) AS n FROM chaos_claims c JOIN unnest($1::uuid[], $2::integer[]) AS h (id, epoch)
     ON c.run_id = h.id AND c.epoch = h.epoch + 1 WHERE c.is_takeover`,
);

interface Frozen {
  slot: AppSlot;
  pid: number;
  /** The runs that the worker knew it held. */
  runs: HeldRun[];
  /** Number of lost runs that the worker had noticed before it was frozen. */
  noticed: number;
}

async function freeze(bed: TestBed): Promise<Frozen> {
  return until('a worker has active runs', async () => {
    const slot = bed.random.pick(bed.workers);
    const { pid } = slot;
    if (pid === undefined) return undefined;
    const claimed = new Set((await heldBy(bed, pid)).map(({ id, epoch }) => `${id} ${epoch}`));
    if (claimed.size === 0) return undefined;
    // The worker answers after it claimed these runs, so it knows of them. If it were frozen between the commit of a
    // claim and the result, its query would time out afterwards, and it would never learn of the claim.
    const noticed = await noticedLosses(slot);
    if (noticed === undefined || slot.pid !== pid) return undefined;
    slot.send('SIGSTOP');
    const held = await heldBy(bed, pid).catch(() => []);
    const runs = held.filter(({ id, epoch }) => claimed.has(`${id} ${epoch}`));
    if (runs.length > 0) return { slot, pid, runs, noticed };
    slot.send('SIGCONT');
    return undefined;
  });
}

function heldBy({ database }: TestBed, pid: number): Promise<HeldRun[]> {
  return database.query(held, [String(pid)]);
}

async function freezeBeyondLease(bed: TestBed): Promise<void> {
  await until('a frozen worker has lost a run', async () => {
    const { slot, runs, noticed } = await freeze(bed);
    const values = [runs.map(({ id }) => id), runs.map(({ epoch }) => epoch)];
    try {
      await until('a frozen worker holds none of its runs', async () => {
        return (await bed.database.query(stillHeld, values)).length === 0;
      });
    } finally {
      slot.send('SIGCONT');
    }
    const [{ n: overtaken } = { n: 0 }] = await bed.database.query(takenOver, values);
    // PostgreSQL completes a commit that the worker sent before the freeze, and that commit may have ended all runs.
    if (overtaken === 0) return false;
    bed.thaws.push({ overtaken, fenced: await newlyNoticed(slot, noticed) });
    return true;
  });
}

async function newlyNoticed(slot: AppSlot, before: number): Promise<number> {
  const noticed = await until(
    'a thawed worker notices that its runs are gone',
    async () => {
      const now = await noticedLosses(slot);
      return now !== undefined && now > before && now;
    },
    noticedTimeoutMs,
  ).catch(() => before);
  return noticed - before;
}

/** Returns the number of lost runs that a worker has noticed; undefined if it does not answer. */
async function noticedLosses(slot: AppSlot): Promise<number | undefined> {
  const found = [...(await slot.metrics())].filter(([name]) =>
    /^workflow_(runs_total\{ending="lost"|leases_lost_total)/.test(name),
  );
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0);
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
