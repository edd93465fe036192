import { LockedError, newId, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError } from '@relata/schemas/errors';
import { incomingLinksTo, type IncomingLink } from '../links/links.ts';
import { findReferring, locksFor } from '../links/referring.sql.ts';
import { requireUuid } from '../table/record-fields.ts';
import type { RecordGroup, RecordTable } from '../table/record-table.ts';
import { otherVersion } from '../writes/patch-record.ts';
import { linkedCountMax, linkedMax, LinkBudget } from './linked-limit.ts';
import { missingRecord } from './missing-record.ts';
import { type Moved, movesToTrash } from './move-to-trash.sql.ts';
import { unlinks } from './unlink.sql.ts';

/** A delete of one record. */
export interface Deletion {
  id: string;
  /** Acceptable versions of the record; undefined to accept any version. */
  ifMatch?: readonly string[] | undefined;
  /** True to also delete the records that cannot exist without this record. */
  cascade?: boolean | undefined;
  /** Number of other records that the transaction may still change, if it has several deletes. */
  room?: LinkBudget | undefined;
  /** True to leave a shared transaction and run alone if the delete changes many other records. */
  leavesOthers?: boolean;
}

/** Numbers of other records by the name of their kind, such as `contacts`. */
export type RecordCounts = Record<string, number>;

export function addCount(counts: RecordCounts, { resource: { countName } }: RecordTable<unknown>, count: number): void {
  counts[countName] = (counts[countName] ?? 0) + count;
}

/** A deleted record as it was. */
export interface Deleted<Rec> {
  record: Rec;
  deletionId: string;
  deletedAt: string;
  /** Numbers of other records whose links to the record were cleared. */
  unlinked: RecordCounts;
  /** Numbers of other records that were deleted with the record; undefined unless the delete was a cascade. */
  deleted?: RecordCounts;
}

/**
 * Maximum number of rounds: after the links are cleared, another unit of the same transaction may create a link before
 * the delete.
 */
const roundsMax = 3;

/**
 * Moves a record to the trash and clears the links of other records to it. Throws `not_found` if the organization has
 * no such record, `precondition_failed` if it has another version, `in_use` if others cannot exist without it,
 * `too_many_linked` if it would change too many others, and `conflict` if other requests keep linking records to it.
 */
export async function deleteRecord<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Deletion,
): Promise<Deleted<Rec>> {
  const { orgId } = actor;
  requireUuid(given.id);
  const deletionId = newId();
  const [id] = await db.call(locksFor('delete', table), { orgId, ids: [given.id.toLowerCase()] });
  if (id === undefined) throw await missingRecord(db, orgId, given.id);
  const unlinked = noneOf(table, given, 'unlinked');
  const deleted = noneOf(table, given, 'deleted');
  for (let round = 0; ; round++) {
    const move = { actor, id, ifMatch: given.ifMatch, deletionId };
    const [moved] = (await db.call(movesToTrash(table), [move])) as readonly Moved<Rec>[];
    const { outcome, record, deletedAt } = moved!;
    if (outcome === 'failed') throw otherVersion(record);
    if (outcome === 'moved') return { record, deletionId, deletedAt, unlinked, ...(given.cascade && { deleted }) };
    const plan = await planOf(db, orgId, { table, id }, given);
    if (round === 0 && given.leavesOthers) leaveOthers(db, plan);
    if (round === roundsMax) throw linkedAgain(plan);
    await clearLinks(db, actor, plan, unlinked);
    await deleteCascaded(db, actor, plan, { deletionId, causeId: id }, deleted);
  }
}

/** Returns the error for a record to which other requests keep adding links or dependent records. */
function linkedAgain({ cascaded }: DeletePlan): AppError {
  const users = cascaded.filter(({ ids }) => ids.length > 0);
  if (users.length > 0) return inUse(users);
  return new AppError('conflict', 'Other requests keep linking records to this one. Retry.');
}

/**
 * Throws LockedError if the plan changes many records in a transaction with other units. Nothing has been written at
 * that point.
 */
function leaveOthers(db: UnitDb, plan: DeletePlan): void {
  if (countOf(plan) > besideOthersMax && !db.waits) throw new LockedError(undefined, { isBulk: true });
}

async function clearLinks(db: UnitDb, actor: Actor, { linked }: DeletePlan, unlinked: RecordCounts): Promise<void> {
  // All locks come first: if a record is locked, a unit must leave a shared transaction before it writes.
  for (const { referrer, ids } of linked)
    await db.call(locksFor('update', referrer.table), { orgId: actor.orgId, ids });
  for (const { referrer, ids, targetIds } of linked) {
    const relink = { actor, recordIds: ids, linkedIds: targetIds };
    addCount(unlinked, referrer.table, await db.call(unlinks(referrer), relink));
  }
}

/**
 * Deletes the records that cannot exist without the record. A record is deleted before the records that it refers to.
 */
async function deleteCascaded(
  db: UnitDb,
  actor: Actor,
  { cascaded }: DeletePlan,
  cause: { deletionId: string; causeId: string },
  deleted: RecordCounts,
): Promise<void> {
  for (const { table, ids } of cascaded.toReversed()) {
    const moves = ids.map((id) => ({ actor, id, ...cause }));
    const gone = await db.call(movesToTrash(table), moves);
    addCount(deleted, table, gone.filter((one) => one.outcome === 'moved').length);
  }
}

/** Records of one table that refer to records which will be deleted. */
interface Linked {
  referrer: IncomingLink;
  ids: readonly string[];
  targetIds: readonly string[];
}

/** Other records that a delete changes. */
interface DeletePlan {
  /** Records that are deleted too, all locked. Each comes before the records that refer to it. */
  cascaded: readonly RecordGroup[];
  linked: readonly Linked[];
}

/**
 * Maximum number of other records that a delete changes in a shared transaction, since the other units wait meanwhile.
 */
const besideOthersMax = 100;

const countOf = ({ cascaded, linked }: DeletePlan) =>
  [...cascaded, ...linked].reduce((sum, { ids }) => sum + ids.length, 0);

/** Finds the other records that a delete of a locked record changes. Throws `in_use` or `too_many_linked`. */
async function planOf(
  db: UnitDb,
  orgId: string,
  { table, id }: { table: RecordTable<unknown>; id: string },
  { cascade: isCascade = false, room = new LinkBudget() }: Deletion,
): Promise<DeletePlan> {
  if (!isCascade) await refuseInUse(db, orgId, table, id);
  const all: RecordGroup[] = [{ table, ids: [id] }];
  const linked: Linked[] = [];
  for (const { table: target, ids } of all) {
    for (const referrer of incomingLinksTo(target).filter(({ isRequired }) => isCascade || !isRequired)) {
      const found = await findReferring(db, orgId, referrer, ids, linkedCountMax + 1);
      if (found.length === 0) continue;
      // If too many records are found, they are only counted, and the delete is refused.
      const isLocked = found.length <= linkedMax;
      if (referrer.isRequired) {
        const required = isLocked ? await lockReferring(db, orgId, referrer, ids, found) : found;
        all.push({ table: referrer.table, ids: required });
      } else {
        // Locks these records now: a cascade may later lock records that come after them in the order of locks.
        if (isCascade && isLocked) await db.call(locksFor('update', referrer.table), { orgId, ids: found });
        linked.push({ referrer, ids: found, targetIds: ids });
      }
    }
  }
  const plan = { cascaded: all.slice(1), linked: linked.flatMap((each) => keptOf(each, all)) };
  room.take(id, countOf(plan));
  return plan;
}

/** Returns the links without those of records that will be deleted themselves. */
function keptOf(linked: Linked, deleting: readonly RecordGroup[]): Linked[] {
  const gone = new Set(deleting.flatMap(({ table, ids }) => (table === linked.referrer.table ? ids : [])));
  const ids = linked.ids.filter((id) => !gone.has(id));
  return ids.length > 0 ? [{ ...linked, ids }] : [];
}

/** Throws `in_use` if other records cannot exist without this one. */
async function refuseInUse(db: UnitDb, orgId: string, table: RecordTable<unknown>, id: string): Promise<void> {
  for (const referrer of incomingLinksTo(table).filter(({ isRequired }) => isRequired)) {
    const ids = await findReferring(db, orgId, referrer, [id], linkedCountMax + 1);
    if (ids.length > 0) throw inUse([{ table: referrer.table, ids }]);
  }
}

/**
 * Locks the found records. Returns those that still refer to some of the ids, since records may have changed before
 * they were locked.
 */
async function lockReferring(
  db: UnitDb,
  orgId: string,
  referrer: IncomingLink,
  ids: readonly string[],
  found: readonly string[],
): Promise<readonly string[]> {
  const locked = await db.call(locksFor('delete', referrer.table), { orgId, ids: found });
  const referring = new Set(await findReferring(db, orgId, referrer, ids, linkedCountMax + 1));
  return locked.filter((id) => referring.has(id));
}

/** Returns the error for a record without which others cannot exist. */
export function inUse(users: readonly RecordGroup[]): AppError {
  const counts = users.map(({ table: { eventName, resource }, ids }) => {
    const count = Math.min(ids.length, linkedCountMax);
    return { plural: resource.countName, count, text: `${count} ${count === 1 ? eventName : resource.countName}` };
  });
  const all = counts.map(({ text }) => text).join(' and ');
  const them = counts.length === 1 && counts[0]!.count === 1 ? 'it' : 'them';
  return new AppError('in_use', `The record is used by ${all}. Delete ${them} first, or add cascade=true.`, {
    data: { used_by: Object.fromEntries(counts.map(({ plural, count }) => [plural, count])) },
  });
}

/** Returns counts of 0 for every kind of record that the delete may unlink or delete. */
export function noneOf(
  table: RecordTable<unknown>,
  { cascade }: Pick<Deletion, 'cascade'>,
  what: 'unlinked' | 'deleted',
): RecordCounts {
  const tables = [table];
  const counts: RecordCounts = {};
  for (const target of tables) {
    for (const referrer of incomingLinksTo(target)) {
      if (referrer.isRequired && cascade) tables.push(referrer.table);
      if (referrer.isRequired === (what === 'deleted')) counts[referrer.table.resource.countName] = 0;
    }
  }
  return counts;
}
