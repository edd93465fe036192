import { setTimeout as pause } from 'node:timers/promises';
import { backoff, type Log } from '@relata/runtime';
import { migrations } from '../migrations/index.ts';
import { type Db, statement } from '../statement.ts';
import { isTransient, serverMessage } from '../unavailable.ts';

/** The schema of the database does not belong to this release. */
export class SchemaVersionError extends Error {
  override name = 'SchemaVersionError';

  static newer(unknown: readonly string[]): SchemaVersionError {
    return new SchemaVersionError(
      `The database is newer than this release: it also has ${unknown.join(', ')}. Start the newer release.`,
    );
  }
}

const listApplied = statement<{ name: string }>('schema.applied', 'SELECT name FROM schema_migrations ORDER BY id');

const reach = statement<never>('database.reach', 'SELECT');

/**
 * Throws while the database cannot be reached. It ignores the version of the schema, since running processes continue
 * after a newer release has migrated the database.
 */
export async function checkReachable(db: Db): Promise<void> {
  await db.query(reach, []);
}

/** Comparison of a database's schema with this release; names of migrations. */
export interface SchemaComparison {
  /** The last migration of this release. */
  level: string;
  missing: string[];
  /** Migrations of a newer release. */
  unknown: string[];
}

/** Returns the migrations of this release that the database lacks, and those beyond this release. */
export async function compareSchema(db: Db): Promise<SchemaComparison> {
  const applied = new Set((await appliedNames(db)).map(({ name }) => name));
  const missing = migrations.flatMap(({ name }) => (applied.delete(name) ? [] : [name]));
  return { level: schemaLevel, missing, unknown: [...applied] };
}

/** The last migration of this release, which identifies its schema. */
export const schemaLevel = migrations.at(-1)!.name;

/** Throws unless the database has exactly the migrations of this release. */
export async function checkSchema(db: Db): Promise<void> {
  const { missing, unknown } = await compareSchema(db);
  if (missing.length > 0)
    throw new SchemaVersionError(
      `The database is older than this release: it lacks ${missing.join(', ')}. Run: relata migrate`,
    );
  if (unknown.length > 0) throw SchemaVersionError.newer(unknown);
}

async function appliedNames(db: Db): Promise<{ name: string }[]> {
  try {
    return await db.query(listApplied, []);
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return [];
    throw error;
  }
}

/** Waits until the database can be reached, then checks its schema. */
export async function awaitSchema(db: Db, { log, signal }: { log: Log; signal: AbortSignal }): Promise<void> {
  for (const delayMs of backoff(100, 3_000)) {
    try {
      return await checkSchema(db);
    } catch (error) {
      if (!isTransient(error)) throw error;
      const said = serverMessage(error);
      log.warn({ err: error, delayMs }, `waiting for PostgreSQL${said ? `, which says: ${said}` : ''}`);
      await pause(delayMs, undefined, { signal });
    }
  }
}
