import { type Party, Shares } from '@relata/runtime';
import { type NewRefusal, type NewRefusalCount, refusalsKeptMax } from '@relata/workflows/intake';
import { copyBeginning } from './post.ts';

/**
 * Maximum total size of refusals that wait to be written, in bytes. Each organization has its share, and the triggers
 * of an organization share that.
 */
const bytesMax = 48_000_000;
/** Maximum number of combinations of trigger and reason that are counted. */
const countsMax = 10_000;
/** Assumed size of a refusal without its body, in bytes. The headers are usually smaller. */
const overheadBytes = 3_000;

export interface CountedRefusals extends NewRefusalCount {
  /** Message of the newest refusal. */
  message: string;
  /** Number of refusals that have not been logged yet. */
  unsaid: number;
}

/**
 * Refusals that wait to be written: their counts, and the latest refusals of each trigger. Refusals of unauthorized
 * posts never displace refusals of authorized posts. Refusals of authorized posts with status 400 displace only each
 * other, because only these posts can be replayed.
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

  /** Adds a refusal. If its organization has used up its share of the counts, the refusal is not even counted. */
  add(refusal: NewRefusal): void {
    const { orgId, triggerId, reason, message } = refusal;
    if (this.#count({ orgId, triggerId, reason, message, refused: 1, unsaid: 1 })) this.#keep(refusal);
  }

  /**
   * Removes and returns all refusals. They count towards the limits until `giveBack` or `putBack` is called with them.
   */
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

  /** Puts back refusals that could not be written, in front of newer refusals. */
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
    const key = `${refusal.triggerId} ${groupOf(refusal)}`;
    const last = this.#last.get(key) ?? [];
    if (last.length === refusalsKeptMax) this.#drop(last);
    const kept = this.#takeRoom(refusal, last);
    if (!kept) return;
    last.push(kept);
    this.#last.set(key, last);
  }

  /**
   * Reserves room for a refusal and returns the part that fits: the whole refusal or, if necessary in place of older
   * refusals, one with only the beginning of its body. Returns undefined if there is no room.
   */
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

function groupOf({ isAuthorized, status }: NewRefusal): 'replayable' | 'authorized' | 'unauthorized' {
  if (!isAuthorized) return 'unauthorized';
  return status === 400 ? 'replayable' : 'authorized';
}

/**
 * Returns the party whose share a refusal uses. Each trigger is a party of its own for posts that can be replayed. All
 * other posts share one party per group for all triggers of an organization, since anybody can send unauthorized posts,
 * and an overload causes many other refusals.
 */
function partyOf(refusal: NewRefusal): Party {
  const { orgId, triggerId } = refusal;
  const group = groupOf(refusal);
  return group === 'replayable' ? [orgId, triggerId] : [orgId, group, triggerId];
}

function bytesOf({ body }: NewRefusal): number {
  return overheadBytes + (body?.length ?? 0);
}
