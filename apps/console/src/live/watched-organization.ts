import { Loop } from '@relata/runtime';
import { type ChangeKind, changeKinds } from '@relata/schemas/console';
import type { ChangeMarks } from './change-marks.sql.ts';

/** Interval in ms between two looks for changes. `wokenLookMs` applies after a process has announced a write. */
const lookEveryMs = 1_000;
const wokenLookMs = 500;

type OnChange = (kinds: readonly ChangeKind[]) => void;

/** Looks for changes of an organization as long as somebody watches it. All watchers share the results. */
export class WatchedOrganization {
  readonly #read: () => Promise<ChangeMarks>;
  readonly #watchers = new Set<OnChange>();
  #marks: ChangeMarks | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = 0;
  #isWoken = false;
  // The pages' own requests already report an unavailable database; looking continues regardless.
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

  /** Resolves once changes are reported; rejects if the first read fails. */
  async add(onChange: OnChange): Promise<void> {
    this.#watchers.add(onChange);
    this.#loop.start().wake();
    // A look that is under way began before this call, so its result may be too old.
    await this.#looking?.catch(() => undefined);
    await (this.#looking ??= this.#look());
  }

  remove(onChange: OnChange): void {
    this.#watchers.delete(onChange);
  }

  /** Makes the next look happen sooner. Called when a process, including this one, has written. */
  wake(): void {
    this.#isWoken = true;
    this.#loop.wake();
  }

  /** Looks for changes if they are due; returns the milliseconds until the next look. */
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
