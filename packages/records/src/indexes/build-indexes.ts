import { setTimeout as pause } from 'node:timers/promises';
import { type Database, type Db, retryWhileLocked, lockTimeoutMs, openDatabase, statement } from '@relata/db';
import { fillValues } from './fill-values.sql.ts';
import { type ListIndex, listIndexes } from './list-index.ts';
import { type IndexState, readIndexStates } from './list-index.sql.ts';

export interface BuildOptions {
  /** URL of the database, with the role that owns the tables. */
  url: string;
  /** Names of indexes to build. The default is all invalid indexes and those that `relata migrate` builds. */
  names?: readonly string[];
  /** Receives progress messages. */
  log?: (line: string) => void;
}

export interface BuiltIndexes {
  built: string[];
  failed: { name: string; error: Error }[];
}

/** Key of the advisory lock: an arbitrary number that nothing else in this database locks. */
const buildLock = 5_734_820_618;
const retryMs = 500;
/** Time limit of a build. PostgreSQL must be able to read the largest table in this time. */
const longestBuildMs = 86_400_000;

const tryLock = statement<{ locked: boolean }>(
  'indexes.lock',
  `SELECT pg_try_advisory_xact_lock(${buildLock}) AS locked`,
);
/**
 * Ends the snapshot of the previous statement, which the protocol keeps until the next statement begins. Otherwise the
 * build would wait for this snapshot, and so for the transaction that holds its own lock.
 */
const endSnapshot = statement<never>('indexes.snapshot', 'SET LOCAL idle_in_transaction_session_timeout = 0');
/**
 * `CREATE INDEX CONCURRENTLY` takes no lock that writers wait for, so it needs no lock timeout. A timeout would end the
 * build while it waits for a dump. The build uses one core and leaves the others to requests.
 */
const prepare = statement<never>(
  'indexes.prepare',
  `SELECT WHERE set_config('lock_timeout', '0', false) IS NULL
     OR set_config('max_parallel_maintenance_workers', '0', false) IS NULL`,
);

/**
 * Builds missing indexes one after the other while the apps run, and builds invalid ones again. Builders that run at
 * the same time take turns. An interrupted build leaves an invalid index, which the next builder replaces. If one build
 * fails, the other indexes are still built.
 */
export async function buildIndexes({ url, names, log }: BuildOptions): Promise<BuiltIndexes> {
  await using database = openDatabase({ url, name: 'relata-indexes', poolMax: 2, statementTimeoutMs: longestBuildMs });
  const states = new Map((await readIndexStates(database)).map(({ name, state }) => [name, state]));
  const wanted = listIndexes.filter(
    ({ name, isDefault }) => names?.includes(name) ?? (isDefault || states.get(name) === 'invalid'),
  );
  const result: BuiltIndexes = { built: [], failed: [] };
  const onWait = once(() => log?.('Waiting for another process that builds indexes'));
  for (const index of wanted.filter(({ name }) => states.get(name) !== 'ready')) {
    try {
      if (await buildOne(database, index, { log, onWait })) result.built.push(index.name);
    } catch (error) {
      result.failed.push({ name: index.name, error: error as Error });
    }
  }
  return result;
}

/**
 * Drops an index while the apps run. The index of a table of values is only renamed, so that lists no longer use it.
 */
export async function dropIndex({ url, name }: { url: string; name: string }): Promise<void> {
  await using database = openDatabase({ url, name: 'relata-indexes', poolMax: 2, statementTimeoutMs: longestBuildMs });
  const { index, valuesOf } = listIndexes.find((each) => each.name === name)!;
  await inTurn(database, async (db) => {
    // Triggers need the index to remove values.
    if (valuesOf) await run(db, `ALTER INDEX IF EXISTS ${index} RENAME TO ${valuesOf.unfilled}`);
    else await drop(db, index);
    return true;
  });
}

/** Builds an index. Returns true if this builder built it, false if another builder did. */
async function buildOne(
  database: Database,
  index: ListIndex,
  { log, onWait }: { log: BuildOptions['log'] | undefined; onWait: () => void },
): Promise<boolean> {
  const logWait = once(() => log?.(`${index.name} is being built`));
  const build = async (db: Db) => {
    const state = await stateOf(db, index);
    if (state === 'ready') return false;
    if (state === 'building') {
      logWait();
      return undefined;
    }
    const begun = performance.now();
    log?.(`Building ${index.name}`);
    if (state === 'invalid') await drop(db, index.index);
    if (index.valuesOf) await completeValues(database, index, index.valuesOf, log);
    else await createIndex(db, index);
    log?.(`Built ${index.name} in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    return true;
  };
  return inTurn(database, build, onWait);
}

/** Returns a function that calls the given one only the first time. */
function once(call: () => void): () => void {
  let isCalled = false;
  return () => {
    if (!isCalled) call();
    isCalled = true;
  };
}

/**
 * Runs `work` under a lock that excludes other builders, and repeats it until it returns a result. A build waits for
 * all snapshots, including that of a statement that waits for a lock. Therefore an idle transaction without a snapshot
 * holds the lock, and other builders poll for it. `onWait` is called whenever another process holds the lock.
 */
async function inTurn(
  database: Database,
  work: (db: Db) => Promise<boolean | undefined>,
  onWait?: () => void,
): Promise<boolean> {
  for (;;) {
    const done = await database.transaction(async (holder) => {
      const [row] = await holder.query(tryLock, []);
      if (!row!.locked) {
        onWait?.();
        return undefined;
      }
      await holder.query(endSnapshot, []);
      await database.query(prepare, []);
      return work(database);
    });
    if (done !== undefined) return done;
    await pause(retryMs);
  }
}

async function stateOf(db: Db, { name }: ListIndex): Promise<IndexState> {
  return (await readIndexStates(db)).find((each) => each.name === name)!.state;
}

const findInvalid = statement<{ index: string }>(
  'indexes.find_invalid',
  'SELECT indexrelid::regclass::text AS index FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
);

/** Adds the values of older records to a table of values, and then gives its index the name that lists expect. */
async function completeValues(
  database: Database,
  { index, sql }: ListIndex,
  valuesOf: NonNullable<ListIndex['valuesOf']>,
  log: BuildOptions['log'],
): Promise<void> {
  const { unfilled, values } = valuesOf;
  for (const { index: invalid } of await database.query(findInvalid, [unfilled])) await drop(database, invalid);
  await run(database, `CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS ${unfilled} ON ${sql}`);
  if ((await database.query(findIdentity, [unfilled])).length === 0)
    await retryWhileLocked(() => database.transaction((db) => setIdentity(db, values.name, unfilled)), log);
  await fillValues(database, valuesOf, log);
  await run(database, `ALTER INDEX ${unfilled} RENAME TO ${index}`);
}

const findIdentity = statement<never>(
  'indexes.find_identity',
  'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisreplident',
);

/** Makes an index the replica identity of its table. The statement takes a lock that blocks readers and writers. */
async function setIdentity(db: Db, table: string, index: string): Promise<void> {
  await run(db, `SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await run(db, `ALTER TABLE ${table} REPLICA IDENTITY USING INDEX ${index}`);
}

/**
 * Builds an index. The planner knows nothing about the values of an expression until its table is analyzed, and
 * PostgreSQL does that only after many changes. Small tables are not analyzed here: the planner would expect them to
 * stay small.
 */
async function createIndex(db: Db, { index, sql }: ListIndex): Promise<void> {
  await run(db, `CREATE INDEX CONCURRENTLY ${index} ON ${sql}`);
  const [table] = await db.query(tableOfExpressions, [index]);
  if (table) await run(db, `ANALYZE ${table.name}`);
}

/** Returns the table of an index if the index has an expression and the table is larger than 1 MB. */
const tableOfExpressions = statement<{ name: string }>(
  'indexes.table_of_expressions',
  `SELECT indrelid::regclass::text AS name FROM pg_index
   WHERE indexrelid = to_regclass($1) AND indexprs IS NOT NULL AND pg_relation_size(indrelid) > 1048576`,
);

const drop = (db: Db, index: string) => run(db, `DROP INDEX CONCURRENTLY IF EXISTS ${index}`);

const run = (db: Db, sql: string) => db.query(statement<never>('', sql), []);
