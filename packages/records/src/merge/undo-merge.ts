import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { shownRecord } from '../events/shown-event.ts';
import { type IncomingLink, incomingLinksTo } from '../links/links.ts';
import { locksFor } from '../links/referring.sql.ts';
import { findRecord } from '../record.sql.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { addCount, type RecordCounts } from '../trash/delete-record.ts';
import { linkedCountMax } from '../trash/linked-limit.ts';
import { findFormer } from '../trash/put-back.sql.ts';
import { type LockedEntry, lockReferences } from '../trash/restore.sql.ts';
import { findWinners } from '../trash/winner.sql.ts';
import { lockRecord } from '../writes/locked-record.sql.ts';
import { changeRow, newChange } from '../writes/record-change.sql.ts';
import { changedSince, handOver, lockChain } from './filled-fields.sql.ts';
import { movesLinksBack } from './move-links.sql.ts';
import { lockTrashed, moveTrashedLinksBack } from './move-trashed-links.sql.ts';

/**
 * Clears the fields of the winner that a loser has filled and that still have its value, so that the two records never
 * share an e-mail address or `crm_id`. Returns false if the winner no longer exists.
 */
export async function takeBackFields(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<unknown>,
  entry: LockedEntry,
): Promise<boolean> {
  const { orgId } = actor;
  const { merged_into: winnerId, merge_event_id: eventId, record } = entry;
  const loser = shownRecord(table, record);
  const filled = entry.filled ?? [];
  const linked = filled.filter((name) => table.references[name] !== undefined);
  // As in a restore, entries of the trash are locked before records.
  if (linked.length > 0) await lockChain(db, orgId, idsIn(loser, linked));
  // Like every change of links, it locks the referenced records before its own.
  const found = (await findRecord(db, orgId, table, winnerId!)) as Row | undefined;
  await lockReferences(db, orgId, table, [loser, ...(found ? [found] : [])]);
  const winner = (await lockRecord(db, orgId, table, winnerId!)) as Row | undefined;
  if (!winner) return false;
  const references = Object.keys(table.references);
  const changed = new Set((await changedSince(db, orgId, winnerId!, eventId, references)).map(({ field }) => field));
  const kept = linked.filter((name) => !changed.has(name));
  const given = { ...loser, ...(await takeBackReferences(db, orgId, table, entry, kept)) };
  const cleared = filled.filter((name) => !changed.has(name) && winner[name] === given[name]);
  if (cleared.length === 0) return true;
  const patch = Object.fromEntries(cleared.map((name) => [name, null]));
  await changeRow(db, table, newChange(actor, { id: winnerId!, patch }, table.writableByWorkflows));
  return true;
}

/**
 * Returns, by field, the id that the winner has if it still refers to the record to which the loser referred: the id of
 * this record, or of its winner if it was merged since. Also moves the kept links of the fields to the loser, so that a
 * later restore of such a record links it to the loser.
 */
async function takeBackReferences(
  db: UnitDb,
  orgId: string,
  { name: resource }: RecordTable<unknown>,
  { id, merged_into: winnerId, record }: LockedEntry,
  fields: readonly string[],
): Promise<Row> {
  if (fields.length === 0) return {};
  const ids = idsIn(record, fields);
  await handOver(db, orgId, resource, winnerId!, id, fields, ids);
  const merged = new Map((await findWinners(db, orgId, ids)).map((each) => [each.id, each.winner]));
  return Object.fromEntries(fields.map((name, i) => [name, merged.get(ids[i]!) ?? ids[i]]));
}

const idsIn = (record: Row, fields: readonly string[]) => fields.map((name) => record[name] as string);

/** Moves links back to a restored loser, if its winner exists; returns the numbers of records that have changed. */
export async function takeBackLinks(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<unknown>,
  { id, merged_into: winnerId }: LockedEntry,
  hasWinner: boolean,
): Promise<RecordCounts> {
  const { orgId } = actor;
  const relinked: RecordCounts = {};
  const former: Former[] = [];
  for (const referrer of incomingLinksTo(table)) {
    addCount(relinked, referrer.table, 0);
    if (hasWinner) former.push(await lockInTrash(db, orgId, referrer, id));
  }
  for (const { referrer, ids, trashedIds } of former) {
    const recordIds = await db.call(locksFor('update', referrer.table), { orgId, ids });
    const call = { actor, recordIds, linkedIds: [id], winnerId: winnerId! };
    addCount(relinked, referrer.table, await db.call(movesLinksBack(referrer), call));
    const found = new Set([...recordIds, ...trashedIds]);
    const missing = ids.filter((each) => !found.has(each));
    // A delete may have moved records to the trash since their entries were locked.
    const others = await lockEntries(db, orgId, referrer, missing);
    const undo = { trashedIds: [...trashedIds, ...others], loserId: id, winnerId: winnerId! };
    await moveTrashedLinksBack(db, orgId, referrer, undo);
  }
  return relinked;
}

/** Records of one table that referred to a loser until its merge. */
interface Former {
  referrer: IncomingLink;
  ids: readonly string[];
  /** Former records that are in the trash now; their entries are locked. */
  trashedIds: readonly string[];
}

/**
 * Finds the records of a table that referred to a loser, and locks those that are in the trash. As in a restore, all
 * entries of the trash are locked before any of the other records.
 */
async function lockInTrash(db: UnitDb, orgId: string, referrer: IncomingLink, loserId: string): Promise<Former> {
  const fields = referrer.links.map(({ name }) => name);
  const former = await findFormer(db, orgId, [loserId], referrer.table.name, fields, linkedCountMax);
  const ids = former.map(({ id }) => id);
  return { referrer, ids, trashedIds: await lockEntries(db, orgId, referrer, ids) };
}

async function lockEntries(
  db: UnitDb,
  orgId: string,
  { table }: IncomingLink,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  return (await lockTrashed(db, orgId, table.eventName, ids)).map(({ id }) => id);
}
