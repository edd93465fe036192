import type pg from 'pg';
import { cancelStatement } from './cancel.ts';
import { isConnectionError } from './connection-error.ts';
import type { StatementRunner } from './statement-runner.ts';
import type { Db, Statement } from '../statement.ts';
import { StandaloneUnitDb, type UnitDb } from '../units/unit-db.ts';

/** Services that a cancellable statement needs. */
export interface Cancelling {
  pool: pg.Pool;
  config: pg.PoolConfig;
  runner: StatementRunner;
}

/**
 * Runs a statement. If the signal is aborted, cancels the statement in the server and rejects with the signal's reason.
 */
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

/**
 * Runs `work` in one transaction. Once the signal is aborted, the current statement is cancelled in the server, the
 * transaction is rolled back, and the promise rejects with the signal's reason. Nothing is cancelled after the commit
 * has begun.
 */
export async function transactionUntilAborted<Result>(
  { pool, config, runner }: Cancelling,
  work: (db: UnitDb) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const client = await pool.connect();
  let cancelled: Promise<void> | undefined;
  const cancel = () => void (cancelled = cancelStatement(config, client));
  signal?.addEventListener('abort', cancel, { once: true });
  let broken: Error | undefined;
  try {
    await runner.command(client, 'BEGIN');
    const query: Db['query'] = (prepared, values) => runner.run(client, prepared, values);
    const result = await work(new StandaloneUnitDb(signal ? unlessAborted(query, signal) : query));
    signal?.removeEventListener('abort', cancel);
    signal?.throwIfAborted();
    await runner.command(client, 'COMMIT');
    return result;
  } catch (error) {
    signal?.removeEventListener('abort', cancel);
    // Waits for the cancellation. Otherwise the server might cancel the rollback.
    await cancelled;
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw signal?.aborted ? (signal.reason as Error) : error;
  } finally {
    // A connection that could not even roll back must not be used again.
    client.release(broken);
  }
}

/** Refuses new statements after the abort, because one that begins after the cancellation would run to its end. */
function unlessAborted(query: Db['query'], signal: AbortSignal): Db['query'] {
  return async (prepared, values) => {
    signal.throwIfAborted();
    return query(prepared, values);
  };
}
