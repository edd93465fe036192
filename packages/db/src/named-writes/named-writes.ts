import type { SharedStatement } from '../units/shared-statement.ts';
import type { Unit } from '../units/unit.ts';
import { storeAnswer, takesNames, type TakenName, type WriteAnswer, type WriteName } from './named-write.sql.ts';

/** An answer, and the records that it is about. */
export interface Written {
  answer: WriteAnswer;
  recordIds: readonly string[];
}

/** How a named write ended. `reused`: the name is that of another request, whose id is given. */
export type NamedOutcome =
  | { kind: 'answered'; answer: WriteAnswer; isReplayed: boolean }
  | { kind: 'in_progress' }
  | { kind: 'reused'; requestId: string };

/**
 * Does each named write once. The write and its answer are one transaction: a sender that got no answer, since a process
 * or a connection broke, sends the same again and gets the answer of the first.
 */
export class NamedWrites {
  readonly #taking: SharedStatement<WriteName, TakenName>;
  /** Names of this process. In one transaction the lock of a name would not keep two of them apart. */
  readonly #inFlight = new Set<string>();

  constructor(keptMs: number) {
    this.#taking = takesNames(keptMs);
  }

  /** Hands `run` the write with its name and its answer as one unit. Throws what the write throws, and stores nothing then. */
  async once(
    name: WriteName,
    write: Unit<Written>,
    run: (unit: Unit<NamedOutcome>) => Promise<NamedOutcome>,
  ): Promise<NamedOutcome> {
    const known = `${name.orgId} ${name.keyId} ${name.nameHash.toString('base64')}`;
    if (this.#inFlight.has(known)) return { kind: 'in_progress' };
    this.#inFlight.add(known);
    try {
      return await run(this.#named(name, write));
    } finally {
      this.#inFlight.delete(known);
    }
  }

  #named(name: WriteName, write: Unit<Written>): Unit<NamedOutcome> {
    return {
      orgId: write.orgId,
      weight: write.weight ?? 0,
      run: async (db, attempt) => {
        const taken = await db.call(this.#taking, name);
        if (taken.kind === 'in_progress') return taken;
        if (taken.kind === 'stored')
          return taken.isSame
            ? { kind: 'answered', answer: taken.answer, isReplayed: true }
            : { kind: 'reused', requestId: taken.requestId };
        const { answer, recordIds } = await write.run(db, attempt);
        await storeAnswer(db, { name, answer, recordIds });
        return { kind: 'answered', answer, isReplayed: false };
      },
    };
  }
}
