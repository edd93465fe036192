import type { Database } from '@relata/db';
import { landmarkSpacing, setNextLandmark } from './landmark.sql.ts';
import { listRecords, type Page, type PageQuery } from './record-page.sql.ts';
import type { RecordTable } from './record-table.ts';

/** So many landmarks are set for one deep page at most; the next one goes on from there. */
const landmarksAtOnceMax = 1_000;

/** Lists records, and has landmarks set where people page deep. */
export class RecordLists {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #beingSet = new Map<string, Promise<void>>();

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  async list<Rec>(orgId: string, table: RecordTable<Rec>, query: PageQuery): Promise<Page<Rec>> {
    const { page, passedOver } = await listRecords(this.#database, orgId, table, query);
    if (passedOver >= 2 * landmarkSpacing) void this.setLandmarks(orgId, table, query.offset);
    return page;
  }

  /** Sets the landmarks up to an offset. Once at a time, and nobody waits for it. */
  setLandmarks(orgId: string, table: RecordTable<unknown>, offset: number): Promise<void> {
    const key = `${orgId} ${table.name}`;
    const already = this.#beingSet.get(key);
    if (already) return already;
    const setting = this.#setUpTo(orgId, table, offset)
      .catch(this.#onError)
      .finally(() => this.#beingSet.delete(key));
    this.#beingSet.set(key, setting);
    return setting;
  }

  async #setUpTo(orgId: string, table: RecordTable<unknown>, offset: number): Promise<void> {
    for (let i = 0; i < landmarksAtOnceMax; i++) {
      const position = await setNextLandmark(this.#database, orgId, table);
      if (position === undefined || position + landmarkSpacing > offset) return;
    }
  }
}
