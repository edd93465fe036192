import { listWith } from '@relata/db';

/** Minimum size of a table, in rows. Smaller tables are read equally fast without statistics. */
const unanalyzedRowsMin = 1_000;
/** Minimum number of dead rows for a warning: twice the autovacuum threshold of the largest tables, 50,000. */
const deadRowsMin = 100_000;
const deadShareMin = 0.3;

/**
 * Lists up to 100 invalid indexes except the named ones. Leaves out tables on which an index is being built. A failed
 * `CREATE INDEX CONCURRENTLY` leaves an invalid index. If a migration then creates this index, it finds the name and
 * assumes that the index is complete.
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

/** Lists up to 100 tables with too many dead rows, most dead rows first. */
export const listBloated = listWith<{ name: string; dead: number; live: number }>(
  'diagnosis.dead_rows',
  `SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_dead_tup >= ${deadRowsMin} AND n_dead_tup >= n_live_tup * ${deadShareMin}
   ORDER BY n_dead_tup DESC LIMIT 100`,
);
