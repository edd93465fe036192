import { type Party, Shares } from '@relata/runtime';
import { type NewRefusal, type NewRefusalCount, refusalsKeptMax } from '@relata/workflows/intake';
import { copyBeginning } from './attempt.ts';

/**
 * Bytes of all refusals that wait to be written. An organization has its share of them, and a trigger its share of
 * that.
 */
const bytesMax = 48_000_000;
/** Maximum number of counted combinations of trigger and reason. */
const countsMax = 10_000;
/** Bytes of a refusal beside its body; those of its headers are usually fewer. */
const overheadBytes = 3_000;

export interface CountedRefusals extends NewRefusalCount {
  /** Message of the newest one. */
  message: string;
  /** Number of refusals that the log has not shown yet. */
  unsaid: number;
}

/**
 * Refusals that wait to be written: their counts, and the last ones of each trigger. Refusals without the secret never
 * displace others.
 */
export class GatheredRefusals {
  readonly #room: Shares;
  readonly #countRoom = new Shares(countsMax);
  #last = new Map<string, NewRefusal[]>();
  #counts = new Map<string, CountedRefusals>();

  constructor(roomBytes = bytesMax) {
    this.#room = new Shares(roomBytes);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Adds a refusal; beyond the share of its organization it is not even counted. */
  add(refusal: NewRefusal): void {
    const { orgId, triggerId, reason, message } = refusal;
    if (this.#count({ orgId, triggerId, reason, message, refused: 1, unsaid: 1 })) this.#keep(refusal);
  }

  /** Returns all refusals. They occupy their room until they are given back or put back. */
  take(): Taken {
    const taken = { refusals: [...this.#last.values()].flat(), counts: [...this.#counts.values()] };
    this.#last = new Map();
    this.#counts = new Map();
    return taken;
  }

  giveBack({ refusals, counts }: Taken): void {
    for (const refusal of refusals) this.#room.giveBack(partyOf(refusal), bytesOf(refusal));
    for (const { orgId } of counts) this.#countRoom.giveBack([orgId]);
  }

  /** Puts back refusals that could not be written, before the newer ones that came since. */
  putBack(taken: Taken): void {
    const since = this.take();
    for (const part of [taken, since]) {
      this.giveBack(part);
      for (const count of part.counts) this.#count(count);
      for (const refusal of part.refusals) this.#keep(refusal);
    }
  }

  #count(count: CountedRefusals): boolean {
    const { orgId, triggerId, reason, message, refused, unsaid } = count;
    const key = `${triggerId} ${reason}`;
    const known = this.#counts.get(key);
    if (known) {
      known.refused += refused;
      known.unsaid += unsaid;
      known.message = message;
      return true;
    }
    if (!this.#countRoom.take([orgId])) return false;
    this.#counts.set(key, { ...count });
    return true;
  }

  #keep(refusal: NewRefusal): void {
    const key = `${refusal.triggerId} ${refusal.isAuthorized}`;
    const last = this.#last.get(key) ?? [];
    if (last.length === refusalsKeptMax) this.#drop(last);
    const kept = this.#takeRoom(refusal, last);
    if (!kept) return;
    last.push(kept);
    this.#last.set(key, last);
  }

  /** Takes the room of a refusal: whole, else with the beginning of its body, else in place of older ones. */
  #takeRoom(refusal: NewRefusal, last: NewRefusal[]): NewRefusal | undefined {
    if (this.#room.take(partyOf(refusal), bytesOf(refusal))) return refusal;
    const cut = { ...refusal, body: refusal.body && copyBeginning(refusal.body) };
    while (!this.#room.take(partyOf(cut), bytesOf(cut))) {
      if (last.length === 0) return undefined;
      this.#drop(last);
    }
    return cut;
  }

  #drop(last: NewRefusal[]): void {
    const oldest = last.shift()!;
    this.#room.giveBack(partyOf(oldest), bytesOf(oldest));
  }
}

export interface Taken {
  refusals: NewRefusal[];
  counts: CountedRefusals[];
}

function partyOf({ orgId, triggerId }: NewRefusal): Party {
  return [orgId, triggerId];
}

function bytesOf({ body }: NewRefusal): number {
  return overheadBytes + (body?.length ?? 0);
}
