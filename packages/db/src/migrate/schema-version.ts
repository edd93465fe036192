import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@relata/runtime';
import { migrations } from '../migrations/index.ts';
import { type Db, statement } from '../statement.ts';
import { isUnavailable, serverMessage } from '../unavailable.ts';

/** The schema in the database is not the one this release was made for. */
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

/** Throws while the database cannot be reached. What runs goes on when a newer release has migrated beside it. */
export async function checkReachable(db: Db): Promise<void> {
  await db.query(reach, []);
}

/** Throws unless the database holds just the migrations of this release. */
export async function checkSchema(db: Db): Promise<void> {
  const applied = new Set((await appliedNames(db)).map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !applied.delete(name));
  if (missing.length > 0)
    throw new SchemaVersionError(
      `The database is older than this release: it lacks ${missing.map(({ name }) => name).join(', ')}. Run: relata migrate`,
    );
  if (applied.size > 0) throw SchemaVersionError.newer([...applied]);
}

async function appliedNames(db: Db): Promise<{ name: string }[]> {
  try {
    return await db.query(listApplied, []);
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return [];
    throw error;
  }
}

/** Waits for a database that cannot be reached yet, then checks its schema. */
export async function awaitSchema(db: Db, { log, signal }: { log: Log; signal: AbortSignal }): Promise<void> {
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 3_000)) {
    try {
      return await checkSchema(db);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const said = serverMessage(error);
      log.warn({ err: error, delayMs }, `waiting for PostgreSQL${said ? `, which says: ${said}` : ''}`);
      await pause(delayMs, undefined, { signal });
    }
  }
}
