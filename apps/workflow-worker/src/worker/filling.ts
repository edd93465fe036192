import type { Slots } from '@relata/runtime';

/** Of the places that an organization could have, before a claim for it is worth its round trip. */
const shareMin = 1 / 4;

/** No longer than a cohort: then what is free is claimed for, however few. */
const waitMsMax = 25;

/** More than are claimed for at once. */
const organizationsMax = 1_000;

/**
 * Holds back claims for an organization that has most of its places and goes on anyway: those of a cohort become free one
 * after the other, and a run that is claimed for the first of them would be a cohort by itself, with 31 behind it.
 */
export class Filling {
  readonly #places: Slots;
  readonly #onOver: () => void;
  readonly #since = new Map<string, number>();

  /** `onOver` is called when a claim that was held back may be made. */
  constructor(places: Slots, onOver: () => void) {
    this.#places = places;
    this.#onOver = onOver;
  }

  /** Asked once for a claim, before it takes places. */
  mayClaim(orgId: string): boolean {
    const room = this.#places.roomFor([orgId]);
    if (room === 0) return false;
    const isFew = room < (room + this.#places.heldBy([orgId])) * shareMin;
    if (!isFew || this.#isOver(orgId)) {
      this.#since.delete(orgId);
      return true;
    }
    return false;
  }

  #isOver(orgId: string): boolean {
    const since = this.#since.get(orgId);
    if (since !== undefined) return performance.now() - since >= waitMsMax;
    if (this.#since.size === organizationsMax) this.#since.clear();
    this.#since.set(orgId, performance.now());
    setTimeout(this.#onOver, waitMsMax + 1).unref();
    return false;
  }
}
