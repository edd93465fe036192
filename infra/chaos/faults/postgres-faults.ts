import { setTimeout as pause } from 'node:timers/promises';
import { checkReachable, statement } from '@relata/db';
import type { AppSlot } from '../test-bed/app-slot.ts';
import type { Fault } from './fault.ts';
import type { TestBed } from '../test-bed/test-bed.ts';
import { until } from '@relata/testbed/until';

/** Duration of a silence as a multiple of the lease. An app waits for a response for at most one lease. */
const silenceLeases = 1.5;

async function goAway(bed: TestBed, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  const { postgres, timeline, random, apps } = bed;
  await postgres.end(signal);
  // A transaction may still be committed while the process of its connection exists.
  await until('every connection to PostgreSQL has ended', () => apps.every(({ toPostgres }) => toPostgres.open === 0));
  await Promise.all(apps.map(({ toPostgres }) => toPostgres.refuse()));
  await timeline.note(timeline.postgresAway, 'away', () => pause(random.between(600, 2_500)));
  await postgres.start();
  await Promise.all(apps.map(({ toPostgres }) => toPostgres.accept()));
  await isBack(bed);
}

/** Returns once PostgreSQL answers and the receivers and the API report that they are ready. */
async function isBack({ database, receivers, apis }: TestBed): Promise<void> {
  await until('PostgreSQL answers', () => checkReachable(database).then(() => true));
  await until('receivers and API reach PostgreSQL', async () => {
    const ready = await Promise.all([...receivers, ...apis].map(isReady));
    return ready.every(Boolean);
  });
}

async function isReady({ url }: AppSlot): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}

const terminate = statement<{ ended: boolean }>(
  'chaos.terminate',
  `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
   WHERE datname = current_database() AND application_name ~ '^(worker|receiver|api)-'`,
);

/** Returns one app, or all of them. */
function someOf({ apps, random }: TestBed): readonly AppSlot[] {
  return random.has(0.5) ? apps : [random.pick(apps)];
}

export const postgresFaults: readonly Fault[] = [
  { name: 'postgres-kill', on: 'postgres', inject: (bed) => goAway(bed, 'SIGKILL') },
  { name: 'postgres-stop', on: 'postgres', inject: (bed) => goAway(bed, 'SIGINT') },
  {
    name: 'postgres-backends-end',
    on: 'postgres',
    async inject(bed) {
      await until('the connections are ended', () => bed.database.query(terminate, []).then(() => true));
      await isBack(bed);
    },
  },
  {
    name: 'postgres-connections-cut',
    on: 'postgres',
    async inject(bed) {
      for (let cuts = bed.random.between(2, 5); cuts > 0; cuts--) {
        for (const { toPostgres } of someOf(bed)) toPostgres.cut();
        await pause(bed.random.between(20, 200));
      }
      await isBack(bed);
    },
  },
  {
    name: 'postgres-silence',
    on: 'postgres',
    async inject(bed) {
      const silenced = someOf(bed);
      for (const { toPostgres } of silenced) toPostgres.silence();
      await pause(bed.options.leaseMs * silenceLeases);
      const isCut = bed.random.has(0.5);
      for (const { toPostgres } of silenced) {
        if (isCut) toPostgres.cut();
        toPostgres.resume();
      }
      await isBack(bed);
    },
  },
];
