import { FairQueue, type Party, QueueFullError, Shares } from '@relata/runtime';

/** Concurrent hashes; each takes 19 MB and a core. */
const hashesMax = 2;
/** Maximum number of waiting strangers; one site (network of IP addresses) has at most half of them. */
const strangersMax = 1_000;
/** Maximum number of waiting known people. */
const knownMax = 1_000;
const longestWaitMs = 5_000;

/** Priorities of turns: known people, strangers with an existing e-mail address, strangers with an unknown one. */
const known = 0;
const somebody = 1;
const nobody = 2;
type Priority = typeof known | typeof somebody | typeof nobody;

class Place {
  readonly #turn = Promise.withResolvers<void>();
  /** Resolves when its turn begins. Rejects with `QueueFullError` after 5 s. */
  readonly turn = this.#turn.promise;
  /** True for a placeholder that only marks a position in the queue: its turn computes no hash. */
  readonly isFree: boolean;
  startedAtMs: number | undefined;
  timer: NodeJS.Timeout | undefined;

  constructor(isFree: boolean) {
    this.isFree = isFree;
    // The caller may have stopped waiting, so the rejection must not count as unhandled.
    this.turn.catch(() => undefined);
  }

  start(): void {
    clearTimeout(this.timer);
    this.startedAtMs = performance.now();
    this.#turn.resolve();
  }

  refuse(): void {
    this.#turn.reject(full());
  }
}

const full = () => new QueueFullError('Too many passwords are being checked.');

/**
 * Grants turns for hashing passwords: to known people first, then to strangers. Networks of IP addresses get equal
 * shares.
 */
export class HashTurns {
  readonly #queues = [new FairQueue<Place>(), new FairQueue<Place>(), new FairQueue<Place>()] as const;
  readonly #strangers = new Shares(strangersMax);
  #free = hashesMax;

  /**
   * Runs the work of a known person in turn. Throws `QueueFullError` after waiting 5 s, or at once if too many known
   * people wait.
   */
  async run<Result>(party: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#queues[known].size >= knownMax) throw full();
    return this.#hash(this.#enter(known, [party]), work);
  }

  /**
   * Compares a stranger's password; `isSomebodys` is false if nobody has the e-mail address. A correct password does
   * not wait for attempts to sign in with unknown addresses. A wrong password is answered as late as a concurrent guess
   * at an unknown address, so neither the time nor the status reveals whether the address exists.
   */
  async runStranger(site: string, isSomebodys: boolean, compare: () => Promise<boolean>): Promise<boolean> {
    // Checked first, so that a refusal does not depend on whether the address exists.
    if (!this.#strangers.take([site])) throw full();
    try {
      if (!isSomebodys) return await this.#hash(this.#enter(nobody, [site]), compare);
      return await this.#compareSomebodys([site], compare);
    } finally {
      this.#strangers.giveBack([site]);
    }
  }

  async #compareSomebodys(party: Party, compare: () => Promise<boolean>): Promise<boolean> {
    const place = this.#enter(somebody, party);
    const isAtOnce = place.startedAtMs !== undefined;
    const asNobody = isAtOnce ? place : this.#enter(nobody, party, true);
    const isRight = await this.#hash(place, compare);
    const tookMs = performance.now() - place.startedAtMs!;
    if (isAtOnce) return isRight;
    if (isRight) this.#leave(nobody, party, asNobody);
    else {
      await asNobody.turn;
      await pauseUntil(asNobody.startedAtMs! + tookMs);
    }
    return isRight;
  }

  /** Takes a free turn, or a place in the queue. */
  #enter(priority: Priority, party: Party, isFree = false): Place {
    const place = new Place(isFree);
    if (this.#free > 0) {
      this.#free--;
      place.start();
      return place;
    }
    this.#queues[priority].add(party, place);
    place.timer = setTimeout(() => this.#leave(priority, party, place) && place.refuse(), longestWaitMs);
    return place;
  }

  #leave(priority: Priority, party: Party, place: Place): boolean {
    clearTimeout(place.timer);
    return this.#queues[priority].remove(party, place);
  }

  async #hash<Result>(place: Place, work: () => Promise<Result>): Promise<Result> {
    await place.turn;
    try {
      return await work();
    } finally {
      this.#free++;
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#free > 0) {
      const next = this.#queues[known].take() ?? this.#queues[somebody].take() ?? this.#queues[nobody].take();
      if (!next) return;
      if (!next.isFree) this.#free--;
      next.start();
    }
  }
}

function pauseUntil(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())));
}
