import { tracing } from '@relata/telemetry';
import pg from 'pg';
import { isConnectionError } from './connection-error.ts';
import { queryPlanned } from './planned-query.ts';
import { preparedName, type Statement } from '../statement.ts';

interface Queryable {
  query(query: pg.QueryConfig | string, done: (error: Error | null, result: pg.QueryResult) => void): void;
}

/** Called when a statement has ended, with or without success; `BEGIN` and `COMMIT` are statements too. */
export type OnStatement = (name: string, seconds: number) => void;

/**
 * Sends statements. It reports only the name of a statement: the text is in the code, and the values may be personal
 * data.
 */
export class StatementRunner {
  readonly #onStatement: OnStatement | undefined;

  constructor(onStatement: OnStatement | undefined) {
    this.#onStatement = onStatement;
  }

  run<Row>(on: Queryable, prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    if (tracing) return traced(prepared.name, () => this.#send(on, prepared, values));
    return this.#send(on, prepared, values);
  }

  command(on: pg.PoolClient, text: 'BEGIN' | 'COMMIT'): Promise<unknown> {
    return tracing ? traced(text, () => this.#sendCommand(on, text)) : this.#sendCommand(on, text);
  }

  async #send<Row>(on: Queryable, prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const { name: measured, text, isBinary: binary = false, isPlanned } = prepared;
    const begunAt = performance.now();
    try {
      if (isPlanned) return (await planned(on, { text, values: values as unknown[] })).rows as Row[];
      const name = preparedName(prepared);
      // pg reads `binary`, but its types leave it out.
      const query: pg.QueryConfig & { binary: boolean } = { name, text, values: values as unknown[], binary };
      return (await send(on, query)).rows as Row[];
    } finally {
      this.#ended(measured, begunAt);
    }
  }

  async #sendCommand(on: pg.PoolClient, text: 'BEGIN' | 'COMMIT'): Promise<unknown> {
    const begunAt = performance.now();
    try {
      return await send(on, text);
    } finally {
      this.#ended(text, begunAt);
    }
  }

  #ended(name: string, begunAt: number): void {
    this.#onStatement?.(name, (performance.now() - begunAt) / 1_000);
  }
}

/**
 * Sends a query. pg would create the promise itself, but with a function that V8 allocates in the old generation, where
 * it keeps the rows until the next major collection (decision 46).
 */
async function send(on: Queryable, query: pg.QueryConfig | string): Promise<pg.QueryResult> {
  try {
    return await new Promise((resolve, reject) => {
      on.query(query, (error, result) => (error ? reject(error) : resolve(result)));
    });
  } catch (error) {
    // As in pg: the stack of the error leads to the caller instead of to the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

async function planned(on: Queryable, query: pg.QueryConfig): Promise<pg.QueryResult> {
  if (!(on instanceof pg.Pool)) return queryPlanned(on as pg.ClientBase, query);
  const client = await on.connect();
  let broken: Error | undefined;
  try {
    return await queryPlanned(client, query);
  } catch (error) {
    if (isConnectionError(error)) broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

function traced<Result>(name: string, query: () => Promise<Result>): Promise<Result> {
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': name };
  return tracing!.child(name, { kind: 'client', attributes }, query);
}
