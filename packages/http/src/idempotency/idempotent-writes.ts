import type { Database, Db } from '@relata/db';
import { AppError } from '@relata/schemas';
import { storeAnswer, takeName, type WriteAnswer, type WriteName } from './idempotency.sql.ts';

/** An answer, and the records that it is about. */
export interface Written {
  answer: WriteAnswer;
  recordIds: readonly string[];
}

export interface OnceAnswer extends WriteAnswer {
  /** True if the write was done before, and this is what was answered then. */
  isReplayed: boolean;
}

/**
 * Does each named write once. What is done and what is answered are one transaction: a sender that got no answer, since
 * a process or a connection broke, sends the same again and learns what became of it.
 */
export class IdempotentWrites {
  readonly #database: Database;
  readonly #keptMs: number;

  constructor(database: Database, keptMs: number) {
    this.#database = database;
    this.#keptMs = keptMs;
  }

  /** Throws what `write` throws, and keeps nothing then; `idempotency_in_progress`; `idempotency_key_reused`. */
  once(name: WriteName, write: (db: Db) => Promise<Written>): Promise<OnceAnswer> {
    return this.#database.of(name.orgId).transaction(async (db) => {
      const taken = await takeName(db, name, this.#keptMs);
      if (taken.kind === 'in_progress') throw inProgress();
      if (taken.kind === 'stored' && !taken.isSame) throw reused(taken.requestId);
      if (taken.kind === 'stored') return { ...taken.answer, isReplayed: true };
      const { answer, recordIds } = await write(db);
      await storeAnswer(db, name, answer, recordIds);
      return { ...answer, isReplayed: false };
    });
  }
}

function inProgress(): AppError {
  const message = 'A request with this Idempotency-Key is in progress. Try again.';
  return new AppError('idempotency_in_progress', message, { retryAfterSeconds: 1 });
}

function reused(firstRequestId: string): AppError {
  const message = 'This Idempotency-Key was used for another request.';
  return new AppError('idempotency_key_reused', message, { data: { first_request_id: firstRequestId } });
}
