import knex, { type Knex } from 'knex';
import { ensureAppRole, grantToAppRole } from './app-role.ts';
import { givingWay, lockTimeoutMs } from './giving-way.ts';
import type { Migration } from '../migration.ts';
import type { MigrateOptions } from './migration-target.ts';
import { migrations } from '../migrations/index.ts';
import { SchemaVersionError } from './schema-version.ts';

/** An arbitrary number that nothing else in this database locks. */
const migrationLock = 5_734_820_617;

export { migrationTarget } from './migration-target.ts';

/**
 * Updates the schema and returns the names of the migrations that it ran. Replicas that start together wait for each
 * other on an advisory lock. The lock ends with the connection that holds it, so a killed migration blocks nobody.
 * Throws SchemaVersionError, without a change, if the database belongs to a newer release. Each migration has its own
 * transaction, which waits for tables in use without delaying others: `log` receives a line each time it gives way.
 */
export async function migrateDatabase({ url, appRole, log }: MigrateOptions): Promise<string[]> {
  const config = { client: 'pg', connection: { connectionString: url, application_name: 'relata-migrate' } };
  const database = knex({ ...config, pool: { min: 0, max: 2 }, acquireConnectionTimeout: 10_000, log: silence });
  try {
    return await underLock(database, async () => {
      // Comes first, so that nothing is migrated if the role cannot be created.
      if (appRole) await ensureAppRole(database, appRole);
      const names = await runPending(database, log);
      if (appRole) await database.transaction((on) => grantToAppRole(on, appRole));
      return names;
    });
  } finally {
    await database.destroy();
  }
}

async function underLock<Result>(database: Knex, work: () => Promise<Result>): Promise<Result> {
  return database.transaction(async (holder) => {
    await holder.raw('SELECT pg_advisory_xact_lock(?)', [migrationLock]);
    return work();
  });
}

async function runPending(database: Knex, log?: (line: string) => void): Promise<string[]> {
  const applied = await appliedNames(database);
  // Writes only if a migration is pending, so that a role without permission can still call this.
  if (migrations.every(({ name }) => applied.includes(name))) return [];
  const migrator = database.migrate;
  const config: Knex.MigratorConfig = { migrationSource: source, tableName: 'schema_migrations' };
  // Knex's own lock is a row that a killed process leaves behind. We hold the advisory lock, so no other process owns
  // that row.
  await migrator.forceFreeMigrationsLock(config);
  const names: string[] = [];
  const runNext = async () => (await migrator.up(config)) as [number, string[]];
  for (;;) {
    const [, [name]] = await givingWay(runNext, log);
    if (name === undefined) return names;
    names.push(name);
  }
}

async function appliedNames(database: Knex): Promise<string[]> {
  if (!(await database.schema.hasTable('schema_migrations'))) return [];
  const known = new Set(migrations.map(({ name }) => name));
  const applied: string[] = await database<{ name: string }>('schema_migrations').orderBy('id').pluck('name');
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) throw SchemaVersionError.newer(unknown);
  return applied;
}

/** Knex also throws the failures that it logs, and standard output belongs to the caller. */
const silence = { warn() {}, error() {}, deprecate() {}, debug() {} };

const source: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  getMigration: ({ sql }) =>
    Promise.resolve({
      up: (on: Knex) => on.raw(`SET LOCAL lock_timeout = ${lockTimeoutMs};\n${sql}`),
      // Only a backup leads back: see "expand, then contract" in CONTRIBUTING.
      down: () => Promise.reject(new Error('Migrations only go forward.')),
    }),
};
