import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { type IncomingLink, incomingLinksTo } from '../links/links.ts';
import { findReferring, locksFor } from '../links/referring.sql.ts';
import { findRecord } from '../record.sql.ts';
import type { RecordGroup, RecordTable } from '../table/record-table.ts';
import { addCount, inUse } from '../trash/delete-record.ts';
import { linkedCountMax } from '../trash/linked-limit.ts';
import { missingRecord } from '../trash/missing-record.ts';
import { lockCaused } from '../trash/restore.sql.ts';
import { clearsLinks } from '../trash/unlink.sql.ts';
import { findWinners } from '../trash/winner.sql.ts';
import { otherVersion } from '../writes/patch-record.ts';
import { emptyEvents } from './empty-events.sql.ts';
import type { EraseProgress, EraseBudget } from './erase-progress.ts';
import { findCleared, lookInTrash } from './former-links.sql.ts';
import { type KeptRecord, lockKept, lockMerged, lockReferring } from './kept-records.sql.ts';
import { removeKept } from './remove-kept.sql.ts';

/** An erase of one record. */
export interface Erasure {
  id: string;
  /** Acceptable versions of the record, even if it is in the trash; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
  /** True to also erase the records that cannot exist without this record. */
  cascade: boolean;
  /** True to erase the activities that are linked to erased records. */
  activities: boolean;
}

/** Work of one transaction of an erase, up to its limits. Records that depend on the erased record come first. */
export class ErasePass {
  readonly #db: UnitDb;
  readonly #actor: Actor;
  readonly #table: RecordTable<unknown>;
  readonly #given: Erasure;
  readonly #progress: EraseProgress;
  readonly #room: EraseBudget;

  constructor(
    db: UnitDb,
    actor: Actor,
    table: RecordTable<unknown>,
    given: Erasure,
    { progress, room }: { progress: EraseProgress; room: EraseBudget },
  ) {
    [this.#db, this.#actor, this.#table, this.#given] = [db, actor, table, given];
    [this.#progress, this.#room] = [progress, room];
  }

  /**
   * Erases the record and everything that is erased with it. Returns false if a limit was reached before all of it was
   * erased.
   */
  async erase(): Promise<boolean> {
    if (!(await this.eraseOthers())) return false;
    return this.#eraseAll({ table: this.#table, ids: [this.#given.id] });
  }

  /**
   * Runs all steps before the erase of the record itself, including the removal of the content of its events. Returns
   * false if some work is left.
   */
  async eraseOthers(): Promise<boolean> {
    const { id } = this.#given;
    const target = await this.#lockTarget();
    const merged = await this.#lockMerged();
    const self = { table: this.#table, ids: [id, ...merged] };
    const required = await this.#lockRequired(self, target);
    for (const each of [self, ...required]) if (!(await this.#detach(each, required))) return false;
    for (const each of required) {
      const { count, isDone } = await this.#eraseSome(each);
      addCount(this.#progress.erased.erased!, each.table, count);
      if (!isDone) return false;
    }
    const { count, isDone } = await this.#eraseSome({ table: this.#table, ids: merged });
    this.#progress.erased.mergedRecords += count;
    if (!isDone) return false;
    return this.#empty({ table: this.#table, ids: [id] });
  }

  /**
   * Locks the record in its table or in the trash. Throws `not_found` if none of its data is kept, and
   * `precondition_failed` if the caller does not accept its version.
   */
  async #lockTarget(): Promise<KeptRecord> {
    const { id, ifMatch } = this.#given;
    const { orgId } = this.#actor;
    await this.#db.lock([`erase ${orgId} ${id}`]);
    // As in a restore, the trash entries of losers are locked before their winner.
    await this.#lockMerged();
    const [target] = await lockKept(this.#db, orgId, this.#table, [id]);
    if (!target) throw await missingRecord(this.#db, orgId, id);
    await this.#refuseMerge(target);
    if (!ifMatch || this.#progress.isBegun || ifMatch.includes(target.version ?? '')) return target;
    const record = target.place === 'table' ? await findRecord(this.#db, orgId, this.#table, id) : undefined;
    throw record ? otherVersion(record) : otherFormerVersion(target);
  }

  #lockMerged(): Promise<string[]> {
    return lockMerged(this.#db, this.#actor.orgId, this.#table, this.#given.id, this.#room.left.records + 1);
  }

  /**
   * Throws `conflict` if the record was merged after a part of the erase was committed, since the winner has its data
   * now.
   */
  async #refuseMerge({ id, mergedInto }: KeptRecord): Promise<void> {
    const before = this.#progress.mergedInto;
    this.#progress.mergedInto = mergedInto;
    if (!this.#progress.isBegun || mergedInto === undefined || mergedInto === before) return;
    const [{ winner } = { winner: mergedInto }] = await findWinners(this.#db, this.#actor.orgId, [id]);
    const message = `The record was merged into ${winner} while it was being erased. Erase that record instead, which has the data now.`;
    throw new AppError('conflict', message, { data: { merged_into: winner } });
  }

  /**
   * Locks the records that cannot exist without the target, including those that a delete moved to the trash with it.
   * Without `cascade` it locks none, and throws `in_use` if any of them are in their table.
   */
  async #lockRequired({ table, ids }: RecordGroup, { id, deletionId }: KeptRecord): Promise<RecordGroup[]> {
    const { orgId } = this.#actor;
    const found: RecordGroup[] = [];
    for (const referrer of incomingLinksTo(table).filter(({ isRequired }) => isRequired)) {
      const referring = this.#given.cascade
        ? await lockReferring(this.#db, orgId, referrer, ids, this.#room.left.records + 1)
        : await findReferring(this.#db, orgId, referrer, ids, linkedCountMax + 1);
      if (referring.length > 0 && !this.#given.cascade) throw inUse([{ table: referrer.table, ids: referring }]);
      if (referring.length > 0) found.push({ table: referrer.table, ids: referring });
    }
    if (deletionId === undefined || !this.#given.cascade) return found;
    return [...found, ...(await lockCaused(this.#db, orgId, deletionId, id))];
  }

  /**
   * Clears the links of other records to the target, or erases linked activities if requested. Returns false if some
   * are left.
   */
  async #detach(target: RecordGroup, erased: readonly RecordGroup[]): Promise<boolean> {
    for (const referrer of incomingLinksTo(target.table).filter(({ isRequired }) => !isRequired)) {
      const isErased = this.#given.activities && referrer.table === customActivities;
      const done = isErased
        ? await this.#eraseLinked(referrer, target)
        : await this.#clearLinks(referrer, target, erased);
      if (!done) return false;
    }
    return true;
  }

  async #clearLinks(
    referrer: IncomingLink,
    { ids: targetIds }: RecordGroup,
    erased: readonly RecordGroup[],
  ): Promise<boolean> {
    const { orgId } = this.#actor;
    const gone = new Set(erased.flatMap(({ table, ids }) => (table === referrer.table ? ids : [])));
    const found = await findReferring(this.#db, orgId, referrer, targetIds, this.#room.left.records + 1 + gone.size);
    const { ids, isCut } = this.#room.take(found.filter((id) => !gone.has(id)));
    if (ids.length > 0) {
      const recordIds = await this.#db.call(locksFor('update', referrer.table), { orgId, ids });
      const relink = { actor: this.#actor, recordIds, linkedIds: targetIds };
      addCount(this.#progress.erased.unlinked, referrer.table, await this.#db.call(clearsLinks(referrer), relink));
    }
    return !isCut;
  }

  /**
   * Erases the activities that are linked to erased records, or were linked when the activity or the record was
   * deleted. Returns false if some are left.
   */
  async #eraseLinked(referrer: IncomingLink, { ids: targetIds }: RecordGroup): Promise<boolean> {
    const { orgId } = this.#actor;
    const limit = this.#room.left.records + 1;
    const linked = await lockReferring(this.#db, orgId, referrer, targetIds, limit);
    const cleared = await findCleared(this.#db, orgId, targetIds, referrer.table.name, limit);
    const ids = new Set([...linked, ...cleared.map(({ id }) => id)]);
    if (!(await this.#eraseActivities(referrer, [...ids]))) return false;
    const kind = referrer.table.name;
    for (let after = this.#progress.trashPlace(kind, targetIds); ;) {
      if (this.#room.left.events === 0) return false;
      const limit = Math.min(looksMax, this.#room.left.events);
      const entries = await lookInTrash(this.#db, orgId, referrer, targetIds, { after, limit });
      this.#room.left.events -= entries.length;
      const found = entries.flatMap(({ id, is_linked: isLinked }) => (isLinked ? [id] : []));
      if (!(await this.#eraseActivities(referrer, found))) return false;
      const last = entries.at(-1);
      if (!last || entries.length < limit) return true;
      after = { deletedAt: last.deleted_at, id: last.id };
      this.#progress.reachTrashPlace(kind, targetIds, after);
    }
  }

  async #eraseActivities({ table }: IncomingLink, ids: readonly string[]): Promise<boolean> {
    const { count, isDone } = await this.#eraseSome({ table, ids });
    this.#progress.erased.activities += count;
    return isDone;
  }

  /** Erases other records up to the limits. Returns their number; `isDone` is false if some are left. */
  async #eraseSome({ table, ids: given }: RecordGroup): Promise<{ count: number; isDone: boolean }> {
    const { ids, isCut } = this.#room.take(given);
    const kept = ids.length > 0 ? await lockKept(this.#db, this.#actor.orgId, table, ids) : [];
    const erasing = { table, ids: kept.map(({ id }) => id) };
    const areErased = await this.#eraseAll(erasing);
    return { count: areErased ? erasing.ids.length : 0, isDone: areErased && !isCut };
  }

  /** Erases locked records that nothing refers to. Returns false if the limit of events was reached first. */
  async #eraseAll(erasing: RecordGroup): Promise<boolean> {
    if (erasing.ids.length === 0) return true;
    if (!(await this.#empty(erasing))) return false;
    await removeKept(this.#db, this.#actor, erasing.table, erasing.ids);
    return true;
  }

  async #empty({ table, ids }: RecordGroup): Promise<boolean> {
    const { positions, erased } = this.#progress;
    for (;;) {
      if (this.#room.left.events <= 0) return false;
      const limit = Math.min(eventsMax, this.#room.left.events);
      const { looked, emptied } = await emptyEvents(this.#db, this.#actor.orgId, table, ids, { positions, limit });
      this.#room.left.events -= looked;
      erased.events += emptied;
      if (looked < limit) return true;
    }
  }
}

function otherFormerVersion({ version }: KeptRecord): AppError {
  const message =
    version === undefined
      ? 'No version of the record is kept. Erase it without If-Match.'
      : 'The record had another version when it was deleted.';
  return new AppError('precondition_failed', message);
}

/** Maximum number of events, and of trash entries, that one statement reads. */
const eventsMax = 1_000;
const looksMax = 1_000;
