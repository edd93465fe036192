import { type Database, type SharedStatement, SharedTransactions, transactionOf, type UnitDb } from '@relata/db';
import type { Reader } from '@relata/runtime';
import { AppError } from '@relata/schemas/errors';
import { storeAnswer, takesNames, type TakenName, type WriteAnswer, type WriteName } from './idempotency.sql.ts';

/** An answer, and the records that it is about. */
export interface Written {
  answer: WriteAnswer;
  recordIds: readonly string[];
}

export interface OnceAnswer extends WriteAnswer {
  /** True if the write was done before, and this is what was answered then. */
  isReplayed: boolean;
}

interface Manner {
  /** Whether others may share the transaction; one that holds much, or long, is alone. */
  isAlone: boolean;
  /** Characters that are written. */
  weight: number;
  /** Once they have left, a transaction that is alone is cancelled, and nothing is kept. */
  sender: Reader;
}

/**
 * Does each named write once. What is done and what is answered are one transaction: a sender that got no answer, since
 * a process or a connection broke, sends the same again and learns what became of it. Named writes that wait anyway
 * share statements and commit.
 */
export class IdempotentWrites {
  readonly #database: Database;
  readonly #shared: SharedTransactions;
  readonly #taking: SharedStatement<WriteName, TakenName>;
  /** Names of this process. In one transaction the lock of a name would not keep two of them apart. */
  readonly #inFlight = new Set<string>();

  constructor(database: Database, keptMs: number) {
    this.#database = database;
    this.#shared = new SharedTransactions(database, {
      itemsMax: 50,
      waitingMax: 5_000,
      weightMax: 1_000_000,
      weightWaitingMax: 64_000_000,
    });
    this.#taking = takesNames(keptMs);
  }

  /** Throws what `write` throws, and keeps nothing then; `idempotency_in_progress`; `idempotency_key_reused`. */
  async once(
    name: WriteName,
    write: (db: UnitDb) => Promise<Written>,
    { isAlone, weight, sender }: Manner,
  ): Promise<OnceAnswer> {
    const known = `${name.orgId} ${name.keyId} ${name.nameHash.toString('base64')}`;
    if (this.#inFlight.has(known)) throw inProgress();
    this.#inFlight.add(known);
    const work = (db: UnitDb) => this.#once(db, name, write);
    try {
      return await (isAlone
        ? transactionOf(this.#database, name.orgId, work, { isBulk: true, sender })
        : this.#shared.run(name.orgId, work, weight));
    } finally {
      this.#inFlight.delete(known);
    }
  }

  async #once(db: UnitDb, name: WriteName, write: (db: UnitDb) => Promise<Written>): Promise<OnceAnswer> {
    const taken = await db.call(this.#taking, name);
    if (taken.kind === 'in_progress') throw inProgress();
    if (taken.kind === 'stored' && !taken.isSame) throw reused(taken.requestId);
    if (taken.kind === 'stored') return { ...taken.answer, isReplayed: true };
    const { answer, recordIds } = await write(db);
    await storeAnswer(db, { name, answer, recordIds });
    return { ...answer, isReplayed: false };
  }

  /** Does a write, and undoes it. */
  async tryOut<Answer>(
    orgId: string,
    write: (db: UnitDb) => Promise<Answer>,
    how: { isBulk: boolean; sender: Reader },
  ): Promise<Answer> {
    const undone = async (db: UnitDb) => {
      throw new Undone(await write(db));
    };
    try {
      return await transactionOf(this.#database, orgId, undone, how);
    } catch (error) {
      if (error instanceof Undone) return error.answer as Answer;
      throw error;
    }
  }
}

/** Takes a transaction back after it did all that it would do. */
class Undone extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('The write was only tried.');
    this.answer = answer;
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
