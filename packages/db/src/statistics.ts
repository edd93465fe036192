import type { Log } from '@relata/runtime';
import { type Db, statement } from './statement.ts';

/** Tables of which more than half is unknown to the planner; PostgreSQL's own look comes only once a minute. */
const grown = statement<{ name: string }>(
  'statistics.grown',
  `SELECT quote_ident(schemaname) || '.' || quote_ident(relname) AS name FROM pg_stat_user_tables
   WHERE schemaname = current_schema() AND n_mod_since_analyze >= 500 AND n_mod_since_analyze > n_live_tup / 2`,
);

const lookEveryMs = 2_000;

/**
 * Has young tables analyzed as they grow. Plans are kept for the life of a connection; one that was made while a table
 * was empty may read all of it for each row that is looked for, and only an analysis has it made anew. A table is
 * analyzed each time that it doubles, which is seldom once it is large.
 */
export class Statistics implements Disposable {
  readonly #db: Db;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      for (const { name } of await this.#db.query(grown, []))
        await this.#db.query(statement('', `ANALYZE ${name}`), []);
    } catch (error) {
      this.#log.debug({ err: error }, 'could not analyze a table');
    } finally {
      this.#isLooking = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
