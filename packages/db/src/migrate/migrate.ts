import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { ensureAppRole, grantToAppRole, revokeFromPublic } from './app-role.ts';
import { retryWhileLocked, lockTimeoutMs } from './retry-while-locked.ts';
import type { Migration } from '../migration.ts';
import type { MigrateOptions } from './migration-target.ts';
import { listRights, rightsChanged } from './rights.ts';
import { migrations } from '../migrations/index.ts';
import { compareNames, runsOnNewer, type SchemaComparison, SchemaVersionError } from './schema-version.ts';

/** An arbitrary number that nothing else in this database locks. */
const migrationLock = 5_734_820_617;
const lockRetryMs = 200;

export { migrationTarget } from './migration-target.ts';

/**
 * Updates the schema and returns the names of the migrations that it ran. Processes that migrate at the same time wait
 * for each other on an advisory lock. The lock ends with the connection that holds it, so a killed migration blocks
 * nobody. Changes nothing if a newer release has migrated the database, and throws SchemaVersionError if this release
 * does not run on it. Each migration has its own transaction. If a table is in use, the migration waits briefly, gives
 * way to other requests and tries again; `log` receives a line each time it gives way.
 */
export async function migrateDatabase(
  { url, appRole, log, onRights }: MigrateOptions,
  known: readonly Migration[] = migrations,
): Promise<string[]> {
  return onDatabase(url, (database) =>
    underLock(database, async () => {
      const compared = await comparisonOf(database, known);
      if (runsOnNewer(compared, known)) return [];
      if (compared.unknown.length > 0) throw SchemaVersionError.newer(compared);
      // Comes first, so that nothing is migrated if the role cannot be created.
      if (appRole && (await ensureAppRole(database, appRole))) onRights?.(`created the role ${appRole.name}`);
      const names = compared.missing.length === 0 ? [] : await runPending(database, known, log);
      await setRights(database, { appRole, onRights });
      return names;
    }),
  );
}

/** Creates the role of the apps if it is missing. `url` may name any database of the server. */
export async function createAppRole({ url, appRole }: MigrateOptions): Promise<void> {
  if (appRole) await onDatabase(url, (database) => ensureAppRole(database, appRole));
}

/**
 * Grants the role of the apps its privileges, if a role is given, and revokes from `PUBLIC` the privileges that not
 * every role may have. Works on the schema of a newer release, too.
 */
export function grantAppRole({ url, appRole }: MigrateOptions): Promise<void> {
  return onDatabase(url, (database) => setRights(database, { appRole }));
}

async function setRights(
  database: Knex,
  { appRole, onRights }: Pick<MigrateOptions, 'appRole' | 'onRights'>,
): Promise<void> {
  const changed = await database.transaction(async (on) => {
    const before = await listRights(on, appRole?.name);
    await revokeFromPublic(on);
    if (appRole) await grantToAppRole(on, appRole);
    return rightsChanged(before, await listRights(on, appRole?.name));
  });
  for (const change of changed) onRights?.(change);
}

async function onDatabase<Result>(url: string, work: (database: Knex) => Promise<Result>): Promise<Result> {
  const config = { client: 'pg', connection: { connectionString: url, application_name: 'relata-migrate' } };
  const database = knex({ ...config, pool: { min: 0, max: 2 }, acquireConnectionTimeout: 10_000, log: silence });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/**
 * Runs `work` while holding the migration lock. Tries again until the lock is free, because a statement that waits for
 * it would hold a snapshot. CREATE INDEX CONCURRENTLY waits for all snapshots, while a migration may wait for the table
 * of that index: a deadlock.
 */
async function underLock<Result>(database: Knex, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const done = await database.transaction(async (holder) => {
      const { rows } = (await holder.raw(`SELECT pg_try_advisory_xact_lock(${migrationLock}) AS locked`)) as Locked;
      if (!rows[0].locked) return undefined;
      // If the work takes long, a time limit of the role would end this transaction, and the lock with it.
      await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
      return { result: await work() };
    });
    if (done) return done.result;
    await pause(lockRetryMs);
  }
}

interface Locked {
  rows: [{ locked: boolean }];
}

async function runPending(database: Knex, known: readonly Migration[], log?: (line: string) => void) {
  const migrator = database.migrate;
  const config: Knex.MigratorConfig = { migrationSource: sourceOf(known), tableName: 'schema_migrations' };
  // Knex's own lock is a row that a killed process leaves behind. We hold the advisory lock, so no other process owns
  // that row.
  await migrator.forceFreeMigrationsLock(config);
  const names: string[] = [];
  const runNext = async () => (await migrator.up(config)) as [number, string[]];
  for (;;) {
    const [, [name]] = await retryWhileLocked(runNext, log);
    if (name === undefined) return names;
    names.push(name);
  }
}

/**
 * Compares the database's migrations with the known ones. Only reads, so that a role without permission to write can
 * migrate a database that is up to date.
 */
async function comparisonOf(database: Knex, known: readonly Migration[]): Promise<SchemaComparison> {
  const has = (table: string) => database.schema.hasTable(table);
  if (!(await has('schema_migrations'))) return compareNames([], known);
  const applied: string[] = await database<{ name: string }>('schema_migrations').orderBy('id').pluck('name');
  const compared = compareNames(applied, known);
  if (compared.unknown.length === 0 || !(await has('schema_compatibility'))) return compared;
  const [oldest] = await database<{ oldest: string }>('schema_compatibility').pluck('oldest');
  return { ...compared, oldest };
}

/** A log that writes nothing: Knex also throws the failures that it logs, and standard output belongs to the caller. */
const silence = { warn() {}, error() {}, deprecate() {}, debug() {} };

const sourceOf = (known: readonly Migration[]): Knex.MigrationSource<Migration> => ({
  getMigrations: () => Promise.resolve([...known]),
  getMigrationName: ({ name }) => name,
  getMigration: ({ sql, oldest }) =>
    Promise.resolve({
      up: async (on: Knex) => {
        // A time limit of the role is meant for requests; a statement of a migration can read a whole table.
        await on.raw(`SET LOCAL statement_timeout = 0;\nSET LOCAL lock_timeout = ${lockTimeoutMs};\n${sql}`);
        if (oldest) await on('schema_compatibility').update({ oldest: oldest.name });
      },
      // Releases can go back, schemas cannot: see "expand, then contract" in CONTRIBUTING.
      down: () => Promise.reject(new Error('Migrations only go forward.')),
    }),
});
