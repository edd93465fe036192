import { setTimeout as pause } from 'node:timers/promises';
import { backoff, type Log } from '@relata/runtime';
import type { Migration } from '../migration.ts';
import { migrations } from '../migrations/index.ts';
import { type Db, statement } from '../statement.ts';
import { isTransient, serverMessage } from '../unavailable.ts';

/** The release does not run on the schema of the database. */
export class SchemaVersionError extends Error {
  override name = 'SchemaVersionError';

  static older(missing: readonly string[]): SchemaVersionError {
    return new SchemaVersionError(
      `The database is older than this release: it lacks ${missing.join(', ')}. Run: relata migrate`,
    );
  }

  static newer({ unknown, oldest, missing }: SchemaComparison): SchemaVersionError {
    const message = `The database is newer than this release: it also has ${unknown.join(', ')}`;
    // The database was migrated by another branch, so no release of our branch runs on it.
    if (missing.length > 0)
      return new SchemaVersionError(`${message} and lacks ${missing.join(', ')}. Start the release that migrated it.`);
    const since = oldest === undefined ? '' : ` Only releases that include migration ${oldest} run on it.`;
    return new SchemaVersionError(`${message}.${since} Start the newer release.`);
  }
}

const listApplied = statement<{ name: string }>('schema.applied', 'SELECT name FROM schema_migrations ORDER BY id');
const findOldest = statement<{ oldest: string }>('schema.oldest', 'SELECT oldest FROM schema_compatibility');

const reach = statement<never>('database.reach', 'SELECT');

/**
 * Throws if the database cannot be reached. Ignores the version of the schema, since running processes continue after a
 * newer release has migrated the database.
 */
export async function checkReachable(db: Db): Promise<void> {
  await db.query(reach, []);
}

/** Comparison of a database's schema with this release, by names of migrations. */
export interface SchemaComparison {
  /** The last migration of this release. */
  level: string;
  missing: string[];
  /** Migrations of a newer release. */
  unknown: string[];
  /** Last migration of the oldest release that runs on the schema. Undefined if `unknown` is empty. */
  oldest?: string | undefined;
}

/** Returns the migrations of this release that the database lacks, and those beyond this release. */
export async function compareSchema(db: Db, known = migrations): Promise<SchemaComparison> {
  const applied = await unlessMissing(db.query(listApplied, []));
  const compared = compareNames(
    applied.map(({ name }) => name),
    known,
  );
  if (compared.unknown.length === 0) return compared;
  // Read after the names, so that it includes the `oldest` of a migration that is committed in between.
  const [row] = await unlessMissing(db.query(findOldest, []));
  return { ...compared, oldest: row?.oldest };
}

/** Compares the names of applied migrations with those of a release. */
export function compareNames(names: readonly string[], known: readonly Migration[]): SchemaComparison {
  const applied = new Set(names);
  const missing = known.flatMap(({ name }) => (applied.delete(name) ? [] : [name]));
  return { level: known.at(-1)!.name, missing, unknown: [...applied] };
}

/** Returns true if a newer release has migrated the schema and this release runs on it. */
export function runsOnNewer({ missing, unknown, oldest }: SchemaComparison, known = migrations): boolean {
  return missing.length === 0 && unknown.length > 0 && known.some(({ name }) => name === oldest);
}

/** The last migration of this release, which identifies its schema. */
export const schemaLevel = migrations.at(-1)!.name;

/** Throws unless this release runs on the schema. Returns the migrations beyond this release. */
export async function checkSchema(db: Db, known = migrations): Promise<string[]> {
  const compared = await compareSchema(db, known);
  const { missing, unknown } = compared;
  if (unknown.length > 0 && !runsOnNewer(compared, known)) throw SchemaVersionError.newer(compared);
  if (missing.length > 0) throw SchemaVersionError.older(missing);
  return unknown;
}

/** Returns no rows if the table does not exist. */
async function unlessMissing<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows;
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return [];
    throw error;
  }
}

/** Waits until the database can be reached, then checks its schema. */
export async function awaitSchema(db: Db, { log, signal }: { log: Log; signal: AbortSignal }): Promise<void> {
  const reported = new Set<string>();
  for (const delayMs of backoff(100, 3_000)) {
    try {
      const unknown = await checkSchema(db);
      if (unknown.length > 0)
        log.info({ unknown }, 'the database is newer than this release, but the release still runs on it');
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      const said = serverMessage(error);
      // If a host name has several addresses, the error has no message.
      const { message, code } = error as Error & { code?: string };
      const reason = said ?? (message || code || 'unknown');
      // Each reason is logged once, however many attempts fail.
      if (!reported.has(reason)) log.warn({ reason }, `waiting for PostgreSQL${said ? `, which says: ${said}` : ''}`);
      reported.add(reason);
      await pause(delayMs, undefined, { signal });
    }
  }
}
