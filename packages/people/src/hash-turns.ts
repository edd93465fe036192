import { FairQueue, type Party, QueueFullError, Shares } from '@relata/runtime';

/** Hashes at once: each takes 19 MB and a core. */
const hashesMax = 2;
/** Strangers who wait at once, of whom one site has half at most. */
const strangersMax = 1_000;
/** People who wait at once and are known: each has a budget of their own. */
const knownMax = 1_000;
const longestWaitMs = 5_000;

/** Whose turn comes first: of known people, of strangers at somebody's address, of strangers at nobody's. */
const known = 0;
const somebody = 1;
const nobody = 2;
type Lane = typeof known | typeof somebody | typeof nobody;

/** A place in a queue. */
class Place {
  readonly #turn = Promise.withResolvers<void>();
  /** True if its turn needs no hash: another turn is for that. */
  readonly isFree: boolean;
  startedAtMs: number | undefined;
  timer: NodeJS.Timeout | undefined;

  constructor(isFree: boolean) {
    this.isFree = isFree;
    // Nobody may be waiting any more.
    this.#turn.promise.catch(() => undefined);
  }

  /** Resolves when its turn begins. Rejects with `QueueFullError` after 5 s. */
  get turn(): Promise<void> {
    return this.#turn.promise;
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

/** Gives out turns to hash passwords: known people first, then strangers, fairly by the site of their address. */
export class HashTurns {
  readonly #lanes = [new FairQueue<Place>(), new FairQueue<Place>(), new FairQueue<Place>()] as const;
  readonly #strangers = new Shares(strangersMax);
  #free = hashesMax;

  /** Runs the work of a known person. Throws `QueueFullError` after 5 s. */
  async run<Result>(party: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#lanes[known].size >= knownMax) throw full();
    return this.#hash(this.#enter(known, [party]), work);
  }

  /**
   * Compares a stranger's password; `isSomebodys` is false if nobody has the e-mail address. A right password does not wait
   * behind guesses at addresses that nobody has. A wrong one is answered when such a guess that came at the same time would
   * be, so neither the time nor the status shows whether somebody has the address.
   */
  async runStranger(site: string, isSomebodys: boolean, compare: () => Promise<boolean>): Promise<boolean> {
    // Before anything depends on whose address it is.
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

  /** Takes a turn that is free, or a place in the queue. */
  #enter(lane: Lane, party: Party, isFree = false): Place {
    const place = new Place(isFree);
    if (this.#free > 0) {
      this.#free--;
      place.start();
      return place;
    }
    this.#lanes[lane].add(party, place);
    place.timer = setTimeout(() => this.#leave(lane, party, place) && place.refuse(), longestWaitMs);
    return place;
  }

  #leave(lane: Lane, party: Party, place: Place): boolean {
    clearTimeout(place.timer);
    return this.#lanes[lane].remove(party, place);
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
      const next = this.#lanes[known].take() ?? this.#lanes[somebody].take() ?? this.#lanes[nobody].take();
      if (!next) return;
      if (!next.isFree) this.#free--;
      next.start();
    }
  }
}

function pauseUntil(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())));
}
