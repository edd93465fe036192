import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '@relata/db';
import { LRUCache } from 'lru-cache';
import { type Look, lookAtEvents } from './feed.sql.ts';

/** State of the feed of one organization. */
interface Watermark {
  settled: number;
  /** Highest number of a settled event that a reader has received. */
  shown: number;
  /** Looks (see `EventWatermark`) that found active writers which have not all ended, the oldest first. */
  open: Look[];
  looking: Promise<void> | undefined;
  server: string | undefined;
}

const organizationsMax = 1_000;
const openMax = 8;
/** Maximum number of looks (see `EventWatermark`) per call; most transactions end within a few milliseconds. */
const looksMax = 3;
const betweenLooksMs = 5;

/**
 * Finds up to which number a feed is settled, that is, no more events will appear at or below it. A writer takes its
 * organization's shared lock before it draws its number, and holds the lock until its events are visible. A look reads
 * the last number drawn and the holders of the lock. Once all these holders have ended, each number up to that one is
 * visible or never will be.
 */
export class EventWatermark {
  readonly #watermarks = new LRUCache<string, Watermark>({ max: organizationsMax });

  /**
   * Returns the number up to which the feed is settled. Makes one look, or up to three if writers are active, and never
   * waits for writers to end.
   */
  async settled(db: Db, orgId: string): Promise<number> {
    const watermark = this.#watermarkOf(orgId);
    for (let looks = 1; ; looks++) {
      // A look that began before this call may miss events that the caller has just written.
      await watermark.looking;
      await (watermark.looking ??= this.#look(db, orgId, watermark));
      if (watermark.open.length === 0 || looks === looksMax) return watermark.settled;
      await pause(betweenLooksMs);
    }
  }

  /** Returns the number up to which events were read as settled. It stays valid as long as the server is the same. */
  shown(orgId: string): { settled: number; server: string | undefined } {
    const { shown: settled, server } = this.#watermarkOf(orgId);
    return { settled: server === undefined ? 0 : settled, server };
  }

  /** Notes that settled events of this server were read. */
  show(orgId: string, server: string, events: readonly { seq: number }[]): void {
    const watermark = this.#watermarkOf(orgId);
    if (watermark.server !== server) return;
    for (const event of [events[0], events.at(-1)]) watermark.shown = Math.max(watermark.shown, event?.seq ?? 0);
  }

  #watermarkOf(orgId: string): Watermark {
    let watermark = this.#watermarks.get(orgId);
    if (!watermark)
      this.#watermarks.set(
        orgId,
        (watermark = { settled: 0, shown: 0, open: [], looking: undefined, server: undefined }),
      );
    return watermark;
  }

  async #look(db: Db, orgId: string, watermark: Watermark): Promise<void> {
    try {
      settle(watermark, await lookAtEvents(db, orgId));
    } finally {
      watermark.looking = undefined;
    }
  }
}

/**
 * Updates the settled position from a new look. An earlier look is settled when none of its writers is active any more;
 * a new look without writers settles all looks.
 */
function settle(watermark: Watermark, look: Look): void {
  // Numbers that were drawn, but not written to the WAL before a crash, are drawn again.
  if (watermark.server !== look.server)
    Object.assign(watermark, { server: look.server, settled: 0, shown: 0, open: [] });
  const present = new Set(look.writers);
  for (const { last_seq: seq, writers } of [...watermark.open, look])
    if (writers.every((writer) => !present.has(writer))) watermark.settled = Math.max(watermark.settled, seq);
  watermark.open = watermark.open.filter(({ last_seq: seq }) => seq > watermark.settled);
  if (look.last_seq > watermark.settled) watermark.open.push(look);
  // Keeps the oldest looks, which settle first, and the newest look.
  if (watermark.open.length > openMax) watermark.open.splice(openMax - 1, watermark.open.length - openMax);
}
