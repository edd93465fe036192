import type { Log } from '@relata/runtime';
import { type Db, statement } from './statement.ts';

/** Tables of which more than half is unknown to the planner; autovacuum comes only once a minute. */
const grown = statement<{ name: string }>(
  'statistics.grown',
  `SELECT relname AS name FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_mod_since_analyze >= 500 AND n_mod_since_analyze > n_live_tup / 2`,
);

/** As the owner of the tables, who alone may: see migration 009. */
const analyze = statement<never>('statistics.analyze', 'SELECT analyze_table($1)');

const insufficientPrivilege = '42501';
const checkEveryMs = 2_000;

/**
 * Has young tables analyzed as they grow. Plans are kept for the life of a connection; one that was made while a table
 * was empty may read all of it for each row that is looked for, and only an analysis has it made anew. A table is
 * analyzed each time that it doubles, which is seldom once it is large.
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

  // A role that may not is not given the right by asking again; PostgreSQL analyzes by itself, only later.
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
