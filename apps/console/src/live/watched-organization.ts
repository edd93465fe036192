import { type ChangeKind, changeKinds } from '@relata/schemas/console';
import type { ChangeMarks } from './change-marks.sql.ts';

/** How often it is looked at, and at most where others publish that they wrote. */
const lookEveryMs = 1_000;
const wokenLookMs = 500;

type OnChange = (kinds: readonly ChangeKind[]) => void;

/** Looks for changes of one organization as long as somebody watches it; all who do share the look. */
export class WatchedOrganization {
  readonly #read: () => Promise<ChangeMarks>;
  readonly #watchers = new Set<OnChange>();
  #marks: ChangeMarks | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = 0;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(read: () => Promise<ChangeMarks>) {
    this.#read = read;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** What changes from now on is reported once the promise has resolved; it rejects where the first look failed. */
  async add(onChange: OnChange): Promise<void> {
    this.#watchers.add(onChange);
    // A look that began before this call may miss what its caller has not read.
    await this.#looking?.catch(() => undefined);
    await (this.#looking ??= this.#look());
  }

  remove(onChange: OnChange): void {
    this.#watchers.delete(onChange);
    if (!this.isWatched) clearTimeout(this.#timer);
  }

  /** Somebody has published that they wrote. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#looking) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.isWatched) return;
    const waitMs = (this.#isWoken ? wokenLookMs : lookEveryMs) - (performance.now() - this.#lookedAt);
    const look = () => (this.#looking ??= this.#look());
    // The pages' own requests report that the database is away; it is looked at again all the same.
    this.#timer = setTimeout(() => void look().catch(() => undefined), Math.max(0, waitMs));
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isWoken = false;
    this.#lookedAt = performance.now();
    try {
      const [before, now] = [this.#marks, await this.#read()];
      this.#marks = now;
      const kinds = changeKinds.filter((kind) => before && before[kind] !== now[kind]);
      if (kinds.length > 0) for (const onChange of this.#watchers) onChange(kinds);
    } finally {
      this.#looking = undefined;
      this.#schedule();
    }
  }
}
