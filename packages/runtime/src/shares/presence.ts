/**
 * Knows whether more than one organization has come lately: what one does to all others need not be bounded while it is
 * alone. A comparison for each that comes.
 */
export class Presence {
  readonly #lastsMs: number;
  #latest: string | undefined;
  #severalUntil = -Infinity;

  /** For so long after one of another organization more than one count as present. */
  constructor(lastsMs: number) {
    this.#lastsMs = lastsMs;
  }

  note(organization: string): void {
    if (organization === this.#latest) return;
    if (this.#latest !== undefined) this.#severalUntil = performance.now() + this.#lastsMs;
    this.#latest = organization;
  }

  get isOfSeveral(): boolean {
    return performance.now() < this.#severalUntil;
  }
}
