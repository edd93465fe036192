import pg from 'pg';

/** Members of pg's query and connection that its types leave out. */
interface Preparing {
  prepare(connection: Sending): void;
  handleCommandComplete(message: unknown, connection: Sending): void;
}

interface Sending {
  parse(query: { name: string; text: string }): void;
  bind(query: { portal: string; statement: string; values: unknown[] }): void;
  execute(query: { portal: string }): void;
}

const Query = pg.Query as unknown as new (
  config: pg.QueryConfig,
  values: undefined,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => Preparing & pg.Submittable;

/**
 * SQL that changes the planner's settings until the end of the transaction, and returns no row. Without a suitable
 * index, PostgreSQL would read the whole table, with the rows of all organizations. With these settings, it does so
 * only if there is no other plan.
 */
const settings = `SELECT WHERE set_config('plan_cache_mode', 'force_custom_plan', true) IS NULL
  OR set_config('enable_seqscan', 'off', true) IS NULL`;

/**
 * A statement that PostgreSQL plans for the given values. Other statements are planned once per connection, for all
 * values. The settings and the statement are sent together, and PostgreSQL treats them as one transaction. The settings
 * end with it.
 */
class PlannedQuery extends Query {
  #hasSettings = false;

  override prepare(connection: Sending): void {
    connection.parse({ name: '', text: settings });
    connection.bind({ portal: '', statement: '', values: [] });
    connection.execute({ portal: '' });
    super.prepare(connection);
  }

  override handleCommandComplete(message: unknown, connection: Sending): void {
    if (this.#hasSettings) super.handleCommandComplete(message, connection);
    this.#hasSettings = true;
  }
}

/** Runs a statement that PostgreSQL plans for the given values. */
export function queryPlanned(client: pg.ClientBase, { text, values }: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const config = { text, values, queryMode: 'extended' } as pg.QueryConfig;
    client.query(new PlannedQuery(config, undefined, (error, result) => (error ? reject(error) : resolve(result))));
  });
}
