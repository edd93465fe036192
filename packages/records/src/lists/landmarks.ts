import type { Database } from '@relata/db';
import { QueueFullError, RestingTurn, Slots } from '@relata/runtime';
import { landmarkSpacing, landmarksAtOnce, lastLandmark, setNextLandmarks } from './landmark.sql.ts';
import type { RecordTable } from '../table/record-table.ts';

/** A page that passes over more rows than this is long. */
const shortPageRows = 2 * landmarkSpacing;

/** For so long a deep page waits for its landmarks at most; the next one sets the rest. */
const settingMsMax = 2_000;

/** Of which an organization has one: it sets landmarks of one of its lists at a time, in half of the time. */
const settingSlots = 3;
const settingWait = { ms: settingMsMax, error: () => new QueueFullError('Too many landmarks at once.') };

/** Where landmarks could not be set they are not tried again for so long: to try makes the organization's writers wait. */
const gapsMs = 5_000;

/** Lists of which the depth is known; beyond so many they are forgotten and found out again. */
const listsMax = 10_000;

/** How far pages of a list are known to be short, or are read as they are since landmarks could not be set. */
interface Depth {
  upTo: number;
  /** Whether landmarks are missing there. */
  hasGaps: boolean;
  /** Of `performance.now()`: until then it is kept, though pages are long. */
  keptUntil?: number;
}

interface Waiting {
  offset: number;
  resolve(): void;
}

/** A list of which landmarks are being set, as far as the deepest of those that wait. */
interface Setting {
  key: string;
  offset: number;
  waiting: Waiting[];
}

/** Refused: rows are too new, or fewer than the offset, or writers do not end. */
type Outcome = 'complete' | 'out of time' | 'refused';

/**
 * The landmarks of lists, set before the first page that needs them is read: while they are missing, each deep page
 * passes over all rows before it, and a client that asks for many at once would keep the database busy for seconds.
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

  /** Returns undefined where a page at the offset may be read now, else a promise of that. It does not reject. */
  ready(orgId: string, table: RecordTable<unknown>, offset: number): undefined | Promise<void> {
    if (offset < shortPageRows) return undefined;
    const upTo = this.#depths.get(listKey(orgId, table))?.upTo;
    return upTo === undefined || offset > upTo ? this.set(orgId, table, offset) : undefined;
  }

  /** Returns true if a page at the offset may have to pass over many rows though it is ready. */
  mayBeLong(orgId: string, table: RecordTable<unknown>, offset: number): boolean {
    return offset >= shortPageRows && (this.#depths.get(listKey(orgId, table))?.hasGaps ?? false);
  }

  /** Notes how many rows a page passed over: after a long one landmarks are set anew before the next. */
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
      // None is missing up to here: the list may have ended before the offset.
      this.#depths.set(key, { upTo: Math.min(depth.upTo, offset + landmarkSpacing), hasGaps: false });
    }
  }

  /** Sets the landmarks up to an offset, once at a time for each list. */
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
        // Those that come meanwhile may be deeper.
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
    using turn = new RestingTurn(this.#slots, [orgId], { longestWait: settingWait, restTimes });
    await turn.take();
    return await setNextLandmarks(this.#database, orgId, table, offset);
  }

  /** Pages go on as soon as they are short, and not all of them at the end. */
  #reach(setting: Setting, depth: Depth): void {
    if (this.#depths.size >= listsMax) this.#depths.clear();
    this.#depths.set(setting.key, depth);
    const isReached = ({ offset }: Waiting) => offset <= depth.upTo;
    for (const { resolve } of setting.waiting.filter(isReached)) resolve();
    setting.waiting = setting.waiting.filter((each) => !isReached(each));
  }
}

const listKey = (orgId: string, { name }: RecordTable<unknown>) => `${orgId} ${name}`;
