import { type Party, Shares } from '@relata/runtime';
import { type NewRefusal, type NewRefusalCount, refusalsKeptMax } from '@relata/workflows/intake';

/** Of all that waits to be written. An organization has its share of it, and a trigger of that. */
const bytesMax = 8_000_000;
/** Triggers and reasons that are counted. */
const countsMax = 10_000;
/** What a refusal takes beside its body. */
const overheadBytes = 1_500;

export interface CountedRefusals extends NewRefusalCount {
  /** What the newest of them was answered. */
  message: string;
  /** How many of them the log has not shown. */
  unsaid: number;
}

/** Refusals that wait to be written: how many, and the last of each trigger. Those without the secret push no others out. */
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

  /** Beyond the share of an organization what it has refused is not counted. */
  add(refusal: NewRefusal): void {
    const { orgId, triggerId, reason, message } = refusal;
    if (this.#count({ orgId, triggerId, reason, message, refused: 1, unsaid: 1 })) this.#keep(refusal);
  }

  /** Hands all of it over. It takes its room until it is given back or put back. */
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

  /** It was not written: what has come since is newer. */
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
    while (!this.#room.take(partyOf(refusal), bytesOf(refusal))) {
      if (last.length === 0) return;
      this.#drop(last);
    }
    last.push(refusal);
    this.#last.set(key, last);
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
