import type { Database } from '@relata/db';
import { QueueFullError, Slots } from '@relata/runtime';
import { landmarkSpacing, landmarksAtOnce, lastLandmark, setNextLandmarks } from './landmark.sql.ts';
import type { RecordTable } from '../table/record-table.ts';

/** Number of skipped rows from which a page counts as long. */
const shortPageRows = 2 * landmarkSpacing;

/**
 * Time in milliseconds after which no further landmarks are set for waiting pages; the next deep page sets the rest.
 */
const settingMsMax = 2_000;

/**
 * Slots for setting landmarks. An organization holds at most one, so it sets landmarks of one list at a time. While
 * other organizations are active, it pauses after each step for as long as the step took, up to 100 ms.
 */
const settingSlots = 3;
const settingWait = { ms: settingMsMax, error: () => new QueueFullError('Too many landmarks at once.') };

/**
 * Pause in milliseconds after a failed attempt to set landmarks, since each attempt makes the organization's writers
 * wait.
 */
const gapsMs = 5_000;

/** Maximum number of lists whose depth is remembered; beyond it, all are forgotten and determined again. */
const listsMax = 10_000;

/** Offset up to which pages of a list need not wait: they are short, or their landmarks could not be set. */
interface Depth {
  upTo: number;
  /** True if landmarks may be missing before that offset. */
  hasGaps: boolean;
  /** Time, as `performance.now()`, until which this depth is kept even if pages are long. */
  keptUntil?: number;
}

interface Waiting {
  offset: number;
  resolve(): void;
}

/** A list whose landmarks are being set, and the deepest offset that callers wait for. */
interface Setting {
  key: string;
  offset: number;
  waiting: Waiting[];
}

/**
 * Result of setting landmarks. `refused`: rows are too new or fewer than the offset, or the attempt failed, for example
 * because writers did not end.
 */
type Outcome = 'complete' | 'out of time' | 'refused';

/**
 * Sets the landmarks of a list before the first page that needs them is read. Without landmarks, each deep page skips
 * all rows before it one by one, and a client that requests many pages at once would keep the database busy for
 * seconds.
 */
export class Landmarks {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #depths = new Map<string, Depth>();
  readonly #settings = new Map<string, Setting>();
  readonly #slots = new Slots(settingSlots);

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /**
   * Returns undefined if a page at the offset can be read now, otherwise a promise that resolves once the page is
   * ready. The promise never rejects.
   */
  ready(orgId: string, table: RecordTable<unknown>, offset: number): undefined | Promise<void> {
    if (offset < shortPageRows) return undefined;
    const upTo = this.#depths.get(listKey(orgId, table))?.upTo;
    return upTo === undefined || offset > upTo ? this.set(orgId, table, offset) : undefined;
  }

  /** Returns true if a page at the offset may have to skip many rows although it is ready. */
  mayBeLong(orgId: string, table: RecordTable<unknown>, offset: number): boolean {
    return offset >= shortPageRows && (this.#depths.get(listKey(orgId, table))?.hasGaps ?? false);
  }

  /** Records how many rows a page skipped. After a long page, landmarks are set again before the next. */
  note(
    orgId: string,
    table: RecordTable<unknown>,
    { offset, passedOver }: { offset: number; passedOver: number },
  ): void {
    if (offset < shortPageRows) return;
    const key = listKey(orgId, table);
    const depth = this.#depths.get(key);
    const isKept = performance.now() < (depth?.keptUntil ?? 0);
    const isEnd = depth !== undefined && offset + landmarkSpacing >= depth.upTo;
    if (passedOver >= shortPageRows) {
      if (!isKept) this.#depths.delete(key);
    } else if (depth?.hasGaps && (isEnd || !isKept)) {
      // The page was short, so no landmark before it is missing. The list may be shorter than the known depth.
      this.#depths.set(key, { upTo: Math.min(depth.upTo, offset + landmarkSpacing), hasGaps: false });
    }
  }

  /** Sets the landmarks up to an offset. Concurrent calls for the same list share the work. */
  set(orgId: string, table: RecordTable<unknown>, offset: number): Promise<void> {
    const key = listKey(orgId, table);
    const { promise, resolve } = Promise.withResolvers<void>();
    const already = this.#settings.get(key);
    const setting = already ?? { key, offset, waiting: [] };
    setting.offset = Math.max(setting.offset, offset);
    setting.waiting.push({ offset, resolve });
    if (!already) void this.#start(orgId, table, setting);
    return promise;
  }

  async #start(orgId: string, table: RecordTable<unknown>, setting: Setting): Promise<void> {
    this.#settings.set(setting.key, setting);
    const outcome = await this.#setAll(orgId, table, setting);
    this.#settings.delete(setting.key);
    const keptUntil = outcome === 'refused' ? performance.now() + gapsMs : 0;
    this.#reach(setting, { upTo: setting.offset + landmarkSpacing, hasGaps: outcome !== 'complete', keptUntil });
  }

  async #setAll(orgId: string, table: RecordTable<unknown>, setting: Setting): Promise<Outcome> {
    const endAt = performance.now() + settingMsMax;
    const isMissing = (position: number, offset: number) => position + landmarkSpacing <= offset;
    try {
      let position = await lastLandmark(this.#database, orgId, table);
      while (isMissing(position, setting.offset)) {
        if (performance.now() >= endAt) return 'out of time';
        // Callers that have joined meanwhile may need a deeper offset.
        const { offset } = setting;
        const extended = await this.#extend(orgId, table, offset);
        position = extended.position;
        if (extended.added < landmarksAtOnce && isMissing(position, offset)) return 'refused';
        this.#reach(setting, { upTo: position + landmarkSpacing, hasGaps: false });
      }
      return 'complete';
    } catch (error) {
      this.#onError(error);
      return 'refused';
    }
  }

  async #extend(orgId: string, table: RecordTable<unknown>, offset: number) {
    const restTimes = this.#database.isOfSeveral ? 1 : 0;
    using _slot = await this.#slots.hold([orgId], { longestWait: settingWait, restTimes });
    return await setNextLandmarks(this.#database, orgId, table, offset);
  }

  /** Resolves the promise of each waiting page as soon as the page has few rows to skip, instead of all at the end. */
  #reach(setting: Setting, depth: Depth): void {
    if (this.#depths.size >= listsMax) this.#depths.clear();
    this.#depths.set(setting.key, depth);
    const isReached = ({ offset }: Waiting) => offset <= depth.upTo;
    for (const { resolve } of setting.waiting.filter(isReached)) resolve();
    setting.waiting = setting.waiting.filter((each) => !isReached(each));
  }
}

export const listKey = (orgId: string, { name }: RecordTable<unknown>) => `${orgId} ${name}`;
