import { type Log, Loop } from '@relata/runtime';
import { type Db, statement } from './statement.ts';

/**
 * Finds tables in which more than half of the rows have changed since the planner's statistics were collected.
 * Autovacuum checks only once a minute.
 */
const grown = statement<{ name: string }>(
  'statistics.grown',
  `SELECT relname AS name FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_mod_since_analyze >= 500 AND n_mod_since_analyze > n_live_tup / 2`,
);

/** Runs as the owner of the tables, since the role of the apps may not analyze them: see migration 009. */
const analyze = statement<never>('statistics.analyze', 'SELECT analyze_table($1)');

const insufficientPrivilege = '42501';
const checkEveryMs = 2_000;

/**
 * Returns a loop that has tables analyzed as they grow. Plans live as long as a connection. A plan made for an empty
 * table may scan the whole table for each look-up, until an analysis makes PostgreSQL plan again. A table is analyzed
 * each time that it doubles, which is rare once it is large.
 */
export function analyzeGrownTables(db: Db, log: Log): Loop {
  const round = async (signal: AbortSignal) => {
    try {
      for (const { name } of await db.query(grown, [])) if (!signal.aborted) await db.query(analyze, [name]);
      return checkEveryMs;
    } catch (error) {
      if ((error as { code?: string }).code !== insufficientPrivilege) throw error;
      // Retrying would not grant the privilege; PostgreSQL also analyzes by itself, only later.
      log.warn('the database role may not analyze tables: run `relata migrate` with DATABASE_APP_ROLE');
      return Infinity;
    }
  };
  return new Loop(round, (error) => log.debug({ err: error }, 'could not analyze a table')).start(checkEveryMs);
}
