import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { shownRecord } from '../events/shown-event.ts';
import { incomingLinksTo } from '../links/links.ts';
import { locksFor } from '../links/referring.sql.ts';
import type { RecordGroup } from '../table/record-table.ts';
import { takeBackFields, takeBackLinks } from '../merge/undo-merge.ts';
import { otherVersion } from '../writes/patch-record.ts';
import { addCount, type RecordCounts } from './delete-record.ts';
import { linkedCountMax, linkedMax, tooManyLinked } from './linked-limit.ts';
import { missingRecord } from './missing-record.ts';
import { dropLinks, type Dropped, findFormer, findFull, putsBack } from './put-back.sql.ts';
import { resolveReferences } from './restore-references.ts';
import { lockCaused, lockEntry, moveBack } from './restore.sql.ts';
import { tableOf } from './trash-entry.ts';

/** A restore of one record. */
export interface Restore {
  id: string;
  /** Acceptable versions of the record at the time of its delete; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
}

export interface Restored {
  record: unknown;
  /** Numbers of other records that were restored with the record. */
  restored: RecordCounts;
  /** Numbers of other records whose links were put back. */
  relinked: RecordCounts;
  dropped: Dropped[];
}

/**
 * Restores a record from the trash, with the records that its delete included, and the links to all of them that the
 * delete cleared. It needs a transaction of its own, since it waits for locks. Throws `not_found` if the record is not
 * in the trash, `precondition_failed` if it had another version, `conflict` if it cannot exist without a record that is
 * gone, and `too_many_linked` if it would change too many others.
 */
export async function restoreRecord(db: UnitDb, actor: Actor, { id, ifMatch }: Restore): Promise<Restored> {
  const { orgId } = actor;
  const entry = await lockEntry(db, orgId, id);
  if (!entry) throw await missingRecord(db, orgId, id);
  if (ifMatch && !ifMatch.includes(entry.version))
    throw otherVersion(shownRecord(tableOf(entry.resource), entry.record));
  // First the record itself, then those that its delete included.
  const caused = await lockCaused(db, orgId, entry.deletion_id, id);
  const groups: RecordGroup[] = [{ table: tableOf(entry.resource), ids: [id] }, ...caused];
  const isUndone = entry.merged_into !== null && (await takeBackFields(db, actor, groups[0]!.table, entry));
  const dropped: Dropped[] = [];
  const records: unknown[] = [];
  for (const { table, ids } of groups) {
    const resolved = await resolveReferences(db, actor, table, ids);
    dropped.push(...resolved.dropped);
    records.push(...(await moveBack(db, actor, table, resolved.records)));
  }
  const others = groups.slice(1).reduce((sum, { ids }) => sum + ids.length, 0);
  const relinked =
    entry.merged_into === null
      ? await relinkAll(db, actor, groups, others)
      : await takeBackLinks(db, actor, groups[0]!.table, entry, isUndone);
  const all = groups.flatMap(({ ids }) => ids);
  const winnerId = isUndone ? entry.merged_into : null;
  for (const { table } of groups)
    for (const referrer of incomingLinksTo(table))
      dropped.push(...(await findFull(db, orgId, referrer, all, winnerId)));
  await dropLinks(db, orgId, all);
  return { record: records[0], restored: restoredIn(groups), relinked, dropped };
}

/** Puts the restored ids back into the links of other records; returns how many records of each kind have changed. */
async function relinkAll(
  db: UnitDb,
  actor: Actor,
  groups: readonly RecordGroup[],
  others: number,
): Promise<RecordCounts> {
  const { orgId } = actor;
  const relinked: RecordCounts = {};
  let left = linkedMax - others;
  for (const { table, ids } of groups) {
    for (const referrer of incomingLinksTo(table).filter(({ isRequired }) => !isRequired)) {
      const fields = referrer.links.map((link) => link.name);
      const former = await findFormer(db, orgId, ids, referrer.table.name, fields, linkedCountMax + 1);
      if (former.length > left) throw tooManyLinked(others + former.length);
      left -= former.length;
      const lock = { orgId, ids: former.map(({ id }) => id) };
      const recordIds = await db.call(locksFor('update', referrer.table), lock);
      const changed = await db.call(putsBack(referrer), { actor, recordIds, linkedIds: ids });
      addCount(relinked, referrer.table, changed);
    }
  }
  return relinked;
}

/** Returns the number of records of each kind that were restored with the first record, including kinds with 0. */
function restoredIn([main, ...caused]: readonly RecordGroup[]): RecordCounts {
  const counts: RecordCounts = {};
  for (const { table, isRequired } of incomingLinksTo(main!.table))
    if (isRequired) counts[table.resource.countName] = 0;
  for (const { table, ids } of caused) counts[table.resource.countName] = ids.length;
  return counts;
}
