import { listWith } from '@relata/db';

/** Minimum size of a table, in rows: smaller ones are read as fast without statistics. */
const unanalyzedRowsMin = 1_000;
/**
 * Number of dead rows from which autovacuum counts as missing: twice the 50,000 from which it vacuums the largest
 * tables.
 */
const deadRowsMin = 100_000;
const deadShareMin = 0.3;

/**
 * Lists up to 100 invalid indexes other than the named ones. Leaves out tables on which an index is being built. A
 * failed `CREATE INDEX CONCURRENTLY` leaves an invalid index, and a migration that creates the index takes it for
 * complete.
 */
export const listInvalidIndexes = listWith<{ name: string }, [others: readonly string[]]>(
  'diagnosis.invalid_indexes',
  `SELECT relname AS name FROM pg_index JOIN pg_class c ON c.oid = indexrelid
   WHERE relnamespace = current_schema()::regnamespace AND NOT (indisvalid AND indisready) AND relname <> ALL ($1)
     AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.locktype = 'relation' AND l.relation = indrelid AND l.granted
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.mode = 'ShareUpdateExclusiveLock')
   ORDER BY relname LIMIT 100`,
);

/** Lists up to 100 large tables without statistics for the planner, largest first. */
export const listUnanalyzed = listWith<{ name: string; live: number }>(
  'diagnosis.unanalyzed',
  `SELECT relname AS name, n_live_tup AS live FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND last_analyze IS NULL AND last_autoanalyze IS NULL
     AND n_live_tup >= ${unanalyzedRowsMin} ORDER BY n_live_tup DESC LIMIT 100`,
);

/** Lists up to 100 tables whose rows die faster than they are vacuumed, most dead rows first. */
export const listBloated = listWith<{ name: string; dead: number; live: number }>(
  'diagnosis.dead_rows',
  `SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_dead_tup >= ${deadRowsMin} AND n_dead_tup >= n_live_tup * ${deadShareMin}
   ORDER BY n_dead_tup DESC LIMIT 100`,
);
