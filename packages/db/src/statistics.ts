import type { Log } from '@relata/runtime';
import { type Db, statement } from './statement.ts';

/**
 * Finds tables that have changed by more than half since the planner's statistics were taken; autovacuum comes only
 * once a minute.
 */
const grown = statement<{ name: string }>(
  'statistics.grown',
  `SELECT relname AS name FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_mod_since_analyze >= 500 AND n_mod_since_analyze > n_live_tup / 2`,
);

/** Runs as the owner of the tables, who alone is permitted to: see migration 009. */
const analyze = statement<never>('statistics.analyze', 'SELECT analyze_table($1)');

const insufficientPrivilege = '42501';
const checkEveryMs = 2_000;

/**
 * Has young tables analyzed as they grow. Plans live as long as a connection. One made while a table was empty may scan
 * all of it for each row that is looked up, and only an analysis makes PostgreSQL plan again. A table is analyzed each
 * time that it doubles, which is rare once it is large.
 */
export class Statistics implements Disposable {
  readonly #db: Db;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #isChecking = false;

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.#check(), checkEveryMs).unref();
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const { name } of await this.#db.query(grown, [])) await this.#db.query(analyze, [name]);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isChecking = false;
    }
  }

  // Stops after a missing privilege, since retrying would not grant it; PostgreSQL also analyzes by itself, only later.
  #fail(error: unknown): void {
    if ((error as { code?: string }).code !== insufficientPrivilege) {
      this.#log.debug({ err: error }, 'could not analyze a table');
      return;
    }
    this[Symbol.dispose]();
    this.#log.warn('the database role may not analyze tables: run `relata migrate` with DATABASE_APP_ROLE');
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
