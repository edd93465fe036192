import type pg from 'pg';
import { cancelStatement } from './cancel.ts';
import type { StatementRunner } from './statement-runner.ts';
import type { Statement } from '../statement.ts';

/** What it takes to run a statement that can be cancelled. */
export interface Cancelling {
  pool: pg.Pool;
  config: pg.PoolConfig;
  runner: StatementRunner;
}

/** Rejects with the signal's reason once it is aborted; the server then stops working on the statement too. */
export async function runUntilAborted<Row>(
  { pool, config, runner }: Cancelling,
  prepared: Statement<Row>,
  values: readonly unknown[],
  signal: AbortSignal,
): Promise<Row[]> {
  signal.throwIfAborted();
  const client = await pool.connect();
  let cancelled: Promise<void> | undefined;
  const cancel = () => void (cancelled = cancelStatement(config, client));
  signal.addEventListener('abort', cancel, { once: true });
  let broken: Error | undefined;
  try {
    signal.throwIfAborted();
    return await runner.run(client, prepared, values);
  } catch (error) {
    if (isConnectionError(error)) broken = error;
    throw signal.aborted ? (signal.reason as Error) : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelled;
    client.release(broken);
  }
}

/** Errors of a statement have an SQLSTATE, and leave its connection as good as before; those of class 08 and 57P end it. */
function isConnectionError(error: unknown): error is Error {
  return error instanceof Error && !/^(?!08|57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
}
