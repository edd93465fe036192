import { Loop } from '@relata/runtime';
import { type ChangeKind, changeKinds } from '@relata/schemas/console';
import type { ChangeMarks } from './change-marks.sql.ts';

/** Interval in ms between two checks for changes. `wokenLookMs` applies after a process has announced a write. */
const lookEveryMs = 1_000;
const wokenLookMs = 500;

type OnChange = (kinds: readonly ChangeKind[]) => void;

/** Checks an organization for changes as long as somebody watches it. All watchers share the results. */
export class WatchedOrganization {
  readonly #read: () => Promise<ChangeMarks>;
  readonly #watchers = new Set<OnChange>();
  #marks: ChangeMarks | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = 0;
  #isWoken = false;
  // Ignores errors and continues, because the pages' own requests already report an unavailable database.
  readonly #loop = new Loop(
    () => this.#lookInTime(),
    () => undefined,
  );

  constructor(read: () => Promise<ChangeMarks>) {
    this.#read = read;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Adds a watcher. Resolves once every later change will be reported to it; rejects if the first check fails. */
  async add(onChange: OnChange): Promise<void> {
    this.#watchers.add(onChange);
    this.#loop.start().wake();
    // A check in progress began before this call, so its result may be outdated.
    await this.#looking?.catch(() => undefined);
    await (this.#looking ??= this.#look());
  }

  remove(onChange: OnChange): void {
    this.#watchers.delete(onChange);
  }

  /** Makes the next check happen sooner. Called after this process or another one has written. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** Checks for changes if a check is due. Returns the milliseconds until the next check. */
  async #lookInTime(): Promise<number> {
    if (!this.isWatched) return Infinity;
    const waitMs = this.#lookedAt + (this.#isWoken ? wokenLookMs : lookEveryMs) - performance.now();
    if (waitMs > 0) return waitMs;
    await (this.#looking ??= this.#look());
    return 0;
  }

  async #look(): Promise<void> {
    this.#isWoken = false;
    this.#lookedAt = performance.now();
    try {
      const [before, now] = [this.#marks, await this.#read()];
      this.#marks = now;
      const kinds = changeKinds.filter((kind) => before && before[kind] !== now[kind]);
      if (kinds.length > 0) for (const onChange of this.#watchers) onChange(kinds);
    } finally {
      this.#looking = undefined;
    }
  }
}
