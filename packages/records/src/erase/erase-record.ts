import { LockedError, StandaloneUnitDb, UnfinishedError, type Unit, type UnitDb, type UnitRunner } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { requireUuid } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';
import { type Erasure, ErasePass } from './erase-pass.ts';
import { type EraseBounds, type Erased, EraseProgress, EraseBudget } from './erase-progress.ts';

/** Limits of one transaction. */
export const eraseBounds: EraseBounds = { events: 10_000, records: 5_000 };

/**
 * Time after which an erase in several transactions ends with an error, so that its caller does not wait for minutes.
 */
const lastsMsMax = 20_000;

/** Options of an erase. */
interface EraseOptions {
  /** True if the transaction is rolled back, so that nothing may be committed before it. */
  isDryRun?: boolean;
  bounds?: EraseBounds;
}

/**
 * Erases a record: its row, its entry in the trash, the content of its events and the records merged into it. The unit
 * waits for locks, so it runs in a transaction of its own. If the erase is too large for one transaction, parts of it
 * are committed first. They are not undone if a later part fails. The last transaction erases the record itself. The
 * unit keeps its progress, so it continues the erase if it runs again. Throws `not_found` if none of the record's data
 * is kept, `precondition_failed`, `in_use`, `conflict`, and `service_unavailable` if the erase takes longer than 20 s;
 * the caller must then repeat it.
 */
export function eraseUnit(
  actor: Actor,
  table: RecordTable<unknown>,
  erasure: Erasure,
  { isDryRun = false, bounds = eraseBounds }: EraseOptions = {},
): Unit<Erased> {
  const { orgId } = actor;
  const given = { ...erasure, id: erasure.id.toLowerCase() };
  let committed = EraseProgress.of(table, given);
  const begin = (db: UnitDb) => {
    const progress = committed.next();
    return { progress, pass: new ErasePass(db, actor, table, given, { progress, room: new EraseBudget(bounds) }) };
  };
  const eraseParts = async (runAlone: UnitRunner['runAlone']) => {
    const startedAt = performance.now();
    const before = doneIn(committed.erased);
    const part = async (db: UnitDb) => {
      const { progress, pass } = begin(db);
      return { progress, isLast: await pass.eraseOthers() };
    };
    for (;;) {
      const { progress, isLast } = await runAlone({ orgId, run: part });
      committed = progress;
      committed.isBegun = true;
      if (isLast) return;
      // A repeated erase first reads events that are already empty. It times out only after it has erased something
      // more, so that repeated calls make progress.
      const isLate = performance.now() - startedAt > lastsMsMax && doneIn(committed.erased) > before;
      if (isLate) throw unfinished(committed.erased);
    }
  };
  return {
    orgId,
    run: async (db) => {
      requireUuid(given.id);
      // The other units of a shared transaction would wait for the same locks.
      if (!(db instanceof StandaloneUnitDb)) throw new LockedError(undefined, { isBulk: true });
      const { progress, pass } = begin(db);
      if (await pass.erase()) return progress.erased;
      if (isDryRun) return { ...progress.erased, isPart: true };
      throw new UnfinishedError(eraseParts);
    },
  };
}

/** Returns a number that grows with the progress of an erase. */
function doneIn({ events, activities, mergedRecords, unlinked, erased }: Erased): number {
  const others = [unlinked, erased ?? {}].flatMap((counts) => Object.values(counts));
  return others.reduce((sum, each) => sum + each, events + activities + mergedRecords);
}

function unfinished({ events }: Erased): AppError {
  const message = `${events} events were erased, and more are left. Repeat the request to continue.`;
  return new AppError('service_unavailable', message, { retryAfterSeconds: 1 });
}

/** Returns the members of `meta` that describe an erase. */
export function erasureMeta({ events, activities, mergedRecords, unlinked, erased, isPart }: Erased) {
  return {
    action: 'erased' as const,
    events,
    activities,
    merged_records: mergedRecords,
    unlinked,
    ...(erased && { erased }),
    ...(isPart && { counts_relation: 'gte' as const }),
  };
}
