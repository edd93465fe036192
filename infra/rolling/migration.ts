import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase, statement } from '@relata/db';
import { findSuiteBundle } from '@relata/bundle';
import { dropIndex, listIndexes } from '@relata/records';
import { compiledDir } from '@relata/testbed/places';
import { until } from '@relata/testbed/until';
import { indexByHand } from './next-release.ts';
import type { Release, Servers, TestBed } from './replicas/test-bed.ts';

/**
 * Duration of the read. It is longer than the statement timeout of the apps, so a statement that waits behind the
 * migration for the whole read fails.
 */
const readForMs = 6_000;
const toolWithinMs = 120_000;
/** Timeouts for a busy machine, on which it may take long to open a connection. */
const patience = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 };

const readAll = statement<never>('', 'SELECT count(*) FROM contacts');
const index = statement<never>('', indexByHand);
const waiting = statement<{ n: number }>(
  '',
  `SELECT count(*)::integer AS n FROM pg_stat_activity
   WHERE application_name = 'relata-migrate' AND wait_event_type = 'Lock' AND datname = current_database()`,
);

/** Indexes that `relata migrate` of the next release builds. */
export const nextIndexes = listIndexes.filter(({ isDefault }) => isDefault).map(({ name }) => name);

/** Drops the indexes of lists, so that the migration builds them, as in a database of an older release. */
export async function dropListIndexes({ ownerUrl }: Servers): Promise<void> {
  for (const name of nextIndexes) await dropIndex({ url: ownerUrl, name });
}

/**
 * Migrates to the next release as an operator does: the index of a large table by hand, then `relata migrate`, whose
 * output is returned. Meanwhile a transaction reads a busy table for a long time, like a dump or a report.
 */
export async function migrate(bed: TestBed, { ownerUrl }: Servers, signal: AbortSignal): Promise<string> {
  await using owner = openDatabase({ url: ownerUrl, name: 'rolling', poolMax: 3, ...patience });
  await owner.query(index, []);
  const isRead = Promise.withResolvers<void>();
  const reading = owner.transaction(async (db) => {
    await db.query(readAll, []);
    isRead.resolve();
    await migrationWaits(owner);
    await pause(readForMs, undefined, { signal });
  });
  await Promise.race([isRead.promise, reading]);
  const [said] = await Promise.all([runMigrate(bed, 'next', signal), reading]);
  return said;
}

async function migrationWaits(owner: Database): Promise<void> {
  await until('the migration waits for the reader', async () => {
    const [row] = await owner.query(waiting, []);
    return row!.n > 0;
  });
}

/** Runs `relata migrate` of a release, and returns the JSON that it printed. */
export async function runMigrate(bed: TestBed, release: Release, signal: AbortSignal): Promise<string> {
  const { env, execArgv } = bed.toolOf(release);
  const child = fork(await findSuiteBundle('cli'), ['migrate', '--json'], {
    env: { ...env, NODE_COMPILE_CACHE: compiledDir, PATH: process.env['PATH'] ?? '' },
    execArgv,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(toolWithinMs)]),
  });
  const [said, complained] = [child.stdout!, child.stderr!].map((stream) => text(stream));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new Error(`relata migrate of the ${release} release ended with ${code}:\n${await said}${await complained}`);
  return said!;
}
