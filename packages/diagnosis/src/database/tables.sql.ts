import { type Db, statement } from '@relata/db';

/** Fewer rows than these are read as fast without statistics. */
const unanalyzedRowsMin = 1_000;
/** Autovacuum waits for 50,000 in the largest tables: twice that means that it does not come. */
const deadRowsMin = 100_000;
const deadShareMin = 0.3;

const unanalyzed = statement<{ name: string; live: number }>(
  'diagnosis.unanalyzed',
  `SELECT relname AS name, n_live_tup AS live FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND last_analyze IS NULL AND last_autoanalyze IS NULL AND n_live_tup >= $1
   ORDER BY n_live_tup DESC LIMIT 100`,
);

/** Tables of some size that the planner knows nothing of, the largest first; at most a hundred. */
export function listUnanalyzed(db: Db): Promise<{ name: string; live: number }[]> {
  return db.query(unanalyzed, [unanalyzedRowsMin]);
}

const bloated = statement<{ name: string; dead: number; live: number }>(
  'diagnosis.dead_rows',
  `SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_dead_tup >= $1 AND n_dead_tup >= n_live_tup * $2::float8
   ORDER BY n_dead_tup DESC LIMIT 100`,
);

/** Tables that are not vacuumed as fast as their rows die, the worst first; at most a hundred. */
export function listBloated(db: Db): Promise<{ name: string; dead: number; live: number }[]> {
  return db.query(bloated, [deadRowsMin, deadShareMin]);
}
