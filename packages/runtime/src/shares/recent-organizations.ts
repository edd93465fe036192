/**
 * Records whether more than one organization has been active lately. While only one is active, its load need not be
 * limited. It costs only a comparison per request.
 */
export class RecentOrganizations {
  readonly #lastsMs: number;
  #latest: string | undefined;
  #severalUntil = -Infinity;

  /**
   * `lastsMs` is the time for which several organizations count as active after two of them sent consecutive requests.
   */
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
