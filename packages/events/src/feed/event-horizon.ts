import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '@relata/db';
import { LRUCache } from 'lru-cache';
import { type Look, lookAtEvents } from './feed.sql.ts';

/** State of the feed of one organization. */
interface Horizon {
  settled: number;
  /** Highest number of a settled event that a reader has received. */
  shown: number;
  /** Looks (see `EventHorizon`) that found active writers which have not all ended, the oldest first. */
  open: Look[];
  looking: Promise<void> | undefined;
  server: string | undefined;
}

const organizationsMax = 1_000;
const openMax = 8;
/** Maximum number of looks (see `EventHorizon`) per call; most transactions end within a few milliseconds. */
const looksMax = 3;
const betweenLooksMs = 5;

/**
 * Finds up to which number a feed is settled, that is, no more events will appear at or below it. A writer takes its
 * organization's shared lock before it draws its number, and holds the lock until its events are visible. A look reads
 * the last number drawn and the holders of the lock. Once all these holders have ended, each number up to that one is
 * visible or never will be.
 */
export class EventHorizon {
  readonly #horizons = new LRUCache<string, Horizon>({ max: organizationsMax });

  /**
   * Returns the number up to which the feed is settled. Makes one look, or up to three if writers are active, and never
   * waits for writers to end.
   */
  async settled(db: Db, orgId: string): Promise<number> {
    const horizon = this.#horizonOf(orgId);
    for (let looks = 1; ; looks++) {
      // A look that began before this call may miss events that the caller has just written.
      await horizon.looking;
      await (horizon.looking ??= this.#look(db, orgId, horizon));
      if (horizon.open.length === 0 || looks === looksMax) return horizon.settled;
      await pause(betweenLooksMs);
    }
  }

  /** Returns the number up to which events were read as settled. It stays valid as long as the server is the same. */
  shown(orgId: string): { settled: number; server: string | undefined } {
    const { shown: settled, server } = this.#horizonOf(orgId);
    return { settled: server === undefined ? 0 : settled, server };
  }

  /** Notes that settled events of this server were read. */
  show(orgId: string, server: string, events: readonly { seq: number }[]): void {
    const horizon = this.#horizonOf(orgId);
    if (horizon.server !== server) return;
    for (const event of [events[0], events.at(-1)]) horizon.shown = Math.max(horizon.shown, event?.seq ?? 0);
  }

  #horizonOf(orgId: string): Horizon {
    let horizon = this.#horizons.get(orgId);
    if (!horizon)
      this.#horizons.set(orgId, (horizon = { settled: 0, shown: 0, open: [], looking: undefined, server: undefined }));
    return horizon;
  }

  async #look(db: Db, orgId: string, horizon: Horizon): Promise<void> {
    try {
      settle(horizon, await lookAtEvents(db, orgId));
    } finally {
      horizon.looking = undefined;
    }
  }
}

/**
 * Updates the settled position from a new look. An earlier look is settled when none of its writers is active any more;
 * a new look without writers settles all looks.
 */
function settle(horizon: Horizon, look: Look): void {
  // Numbers that were drawn, but not written to the WAL before a crash, are drawn again.
  if (horizon.server !== look.server) Object.assign(horizon, { server: look.server, settled: 0, shown: 0, open: [] });
  const present = new Set(look.writers);
  for (const { last_seq: seq, writers } of [...horizon.open, look])
    if (writers.every((writer) => !present.has(writer))) horizon.settled = Math.max(horizon.settled, seq);
  horizon.open = horizon.open.filter(({ last_seq: seq }) => seq > horizon.settled);
  if (look.last_seq > horizon.settled) horizon.open.push(look);
  // Keeps the oldest looks, which settle first, and the newest look.
  if (horizon.open.length > openMax) horizon.open.splice(openMax - 1, horizon.open.length - openMax);
}
