import type { SharedStatement } from '../units/shared-statement.ts';
import type { Unit } from '../units/unit.ts';
import {
  storeResponse,
  takeIdempotencyKeys,
  type KeyState,
  type StoredResponse,
  type IdempotentRequest,
} from './idempotency-key.sql.ts';

export interface Written {
  response: StoredResponse;
  recordIds: readonly string[];
}

/**
 * Result of a write with an idempotency key. `reused`: the key belongs to another request, whose id is given. `erased`:
 * a record in its response was erased.
 */
export type IdempotentOutcome =
  | { kind: 'answered'; response: StoredResponse; isReplayed: boolean }
  | { kind: 'in_progress' }
  | { kind: 'erased' }
  | { kind: 'reused'; requestId: string };

/**
 * Executes each write with an idempotency key once. The write and its response are one transaction: a sender that got
 * no answer, because a process or a connection broke, sends the same request again and gets the stored response.
 */
export class IdempotentWrites {
  readonly #taking: SharedStatement<IdempotentRequest, KeyState>;
  /** Keys in use by this process. The lock of a key would not separate two requests within the same transaction. */
  readonly #inFlight = new Set<string>();

  constructor(keptMs: number) {
    this.#taking = takeIdempotencyKeys(keptMs);
  }

  /**
   * Passes the write, with its idempotency key and its response, to `run` as one unit. If the write fails, throws its
   * error and stores no response.
   */
  async once(
    request: IdempotentRequest,
    write: Unit<Written>,
    run: (unit: Unit<IdempotentOutcome>) => Promise<IdempotentOutcome>,
  ): Promise<IdempotentOutcome> {
    const known = `${request.orgId} ${request.keyId} ${request.nameHash.toString('base64')}`;
    if (this.#inFlight.has(known)) return { kind: 'in_progress' };
    this.#inFlight.add(known);
    try {
      return await run(this.#unitOf(request, write));
    } finally {
      this.#inFlight.delete(known);
    }
  }

  #unitOf(request: IdempotentRequest, write: Unit<Written>): Unit<IdempotentOutcome> {
    return {
      orgId: write.orgId,
      weight: write.weight ?? 0,
      run: async (db, attempt) => {
        const taken = await db.call(this.#taking, request);
        if (taken.kind === 'in_progress' || taken.kind === 'erased') return taken;
        if (taken.kind === 'stored')
          return taken.isSame
            ? { kind: 'answered', response: taken.response, isReplayed: true }
            : { kind: 'reused', requestId: taken.requestId };
        const { response, recordIds } = await write.run(db, attempt);
        await storeResponse(db, { request, response, recordIds });
        return { kind: 'answered', response, isReplayed: false };
      },
    };
  }
}
