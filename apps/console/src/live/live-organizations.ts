import type { Database } from '@relata/db';
import type { EventNotifier } from '@relata/events';
import { Slots } from '@relata/runtime';
import type { ChangeKind } from '@relata/schemas/console';
import { type ChangeMarks, readChangeMarks } from './change-marks.sql.ts';
import { WatchedOrganization } from './watched-organization.ts';

/** Maximum number of concurrent reads of change marks, so that connections are left for other work. */
const looksMax = 4;

/**
 * The organizations that somebody watches. Messages of `EventNotifier` (over NATS) only make checks happen sooner.
 * Without them, changes are found later.
 */
export class LiveOrganizations {
  readonly #database: Database;
  readonly #looks = new Slots(looksMax);
  readonly #watched = new Map<string, WatchedOrganization>();

  constructor(database: Database, eventNotifier: EventNotifier) {
    this.#database = database;
    eventNotifier.onWritten((orgId) => this.#watched.get(orgId)?.wake());
  }

  async marksOf(orgId: string): Promise<ChangeMarks> {
    using _slot = await this.#looks.hold([orgId]);
    return await readChangeMarks(this.#database.of(orgId), orgId);
  }

  /** Reports changes until the signal is aborted; rejects if the first check fails. */
  async watch(orgId: string, onChange: (kinds: readonly ChangeKind[]) => void, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const watched = this.#watched.getOrInsertComputed(orgId, () => new WatchedOrganization(() => this.marksOf(orgId)));
    const leave = () => {
      watched.remove(onChange);
      if (!watched.isWatched && this.#watched.get(orgId) === watched) this.#watched.delete(orgId);
    };
    signal.addEventListener('abort', leave, { once: true });
    await watched.add(onChange);
  }
}
