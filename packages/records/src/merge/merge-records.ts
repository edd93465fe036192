import { newId, type UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, type ErrorDetail, validationError } from '@relata/schemas/errors';
import { type IncomingLink, incomingLinksTo } from '../links/links.ts';
import { findReferring, locksFor } from '../links/referring.sql.ts';
import { findRecords } from '../record.sql.ts';
import { isList, type Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { addCount, type RecordCounts } from '../trash/delete-record.ts';
import { linkedCountMax, linkedMax, tooManyLinked } from '../trash/linked-limit.ts';
import { lockReferences } from '../trash/restore.sql.ts';
import { movesToTrash } from '../trash/move-to-trash.sql.ts';
import { findWinners } from '../trash/winner.sql.ts';
import { isEmpty } from '../writes/additions.ts';
import { missingDetails } from '../writes/reference.sql.ts';
import { upsertKeys } from '../writes/upsert-record.ts';
import { findBegun, forgetMoved } from './merge-steps.sql.ts';
import { mergeWinner } from './merge-winner.sql.ts';
import { movesLinks } from './move-links.sql.ts';

/** A merge of records; its values have been checked. */
export interface Merge {
  winnerId: string;
  loserIds: readonly string[];
  set: Row;
  /** Acceptable versions by id. */
  versions: ReadonlyMap<string, readonly string[] | undefined>;
}

export interface Merged<Rec> {
  record: Rec;
  changed: string[];
  /** Fields that were empty and now have the value of a loser. */
  filled: string[];
  /** Numbers of other records whose links were moved, by kind. */
  moved: RecordCounts;
}

type Known = Row & { id: string };

/** Maximum number of tags of a record. */
const tagsMax = 100;

/**
 * Merges records into one of them. It needs a transaction of its own, since it waits for locks. Throws
 * `invalid_reference` for an unknown or merged record, `precondition_failed` if one has another version, `conflict` if
 * one is part of an unfinished merge in steps, and `too_many_linked` if too many others would change.
 */
export async function mergeRecords<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Merge,
): Promise<Merged<Rec>> {
  const known = await lockAll(db, actor.orgId, table, given);
  await refuseBegun(db, actor.orgId, table, given);
  const links = await findLinks(db, actor.orgId, table, given.loserIds, linkedCountMax + 1);
  if (countOf(links) > linkedMax) throw tooManyLinked(countOf(links), { advice: inStepsAdvice });
  const moved = await moveLinks(db, actor, given, links, movesLinks);
  return completeMerge(db, actor, table, { given, known, moved });
}

/**
 * Throws `conflict` if one of the records is part of an unfinished merge in steps. Both kinds of merge lock the
 * records, so no step can run meanwhile.
 */
async function refuseBegun(db: UnitDb, orgId: string, table: RecordTable<unknown>, { winnerId, loserIds }: Merge) {
  const [begun] = await db.query(findBegun(table), [orgId, [winnerId, ...loserIds]]);
  if (!begun) return;
  const { winner_id, loser_ids } = begun;
  const command = `npx relata records merge ${table.eventName} ${winner_id} ${loser_ids.join(' ')} --org ${orgId} --chunked`;
  // The order of the losers decides which one fills an empty field, so the command must repeat the order of the first
  // call.
  const order = loser_ids.length > 1 ? ', with the ids in the order of the first call' : '';
  const message = `A merge of ${loser_ids.join(', ')} into ${winner_id} was started with --chunked and is not finished. Let an operator run \`${command}\`${order}, then try again.`;
  throw new AppError('conflict', message, { data: { winner_id, loser_ids } });
}

const inStepsAdvice = 'An operator can merge the records in steps: `npx relata records merge --chunked`.';

/** A merge whose links have been moved. */
export interface Moved {
  given: Merge;
  /** The locked records, the winner first. */
  known: readonly Known[];
  /** Numbers of other records whose links were moved, by kind. */
  moved: RecordCounts;
}

/** Moves the losers to the trash and their values to the winner. */
export async function completeMerge<Rec>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  { given: { winnerId, loserIds, set }, known: [winner, ...losers], moved }: Moved,
): Promise<Merged<Rec>> {
  const patch = patchFor(table, winner!, losers);
  const filledBy = patch.filledBy.filter(({ name }) => !(name in set));
  const eventId = newId();
  const deletionId = newId();
  const moves = loserIds.map((id) => {
    const filled = filledBy.flatMap((each) => (each.id === id ? [each.name] : []));
    return { actor, id, deletionId, merged: { into: winnerId, eventId, filled } };
  });
  const trashed = await db.call(movesToTrash(table), moves);
  if (trashed.some(({ outcome }) => outcome !== 'moved')) throw new Error('A record still refers to a merged record.');
  await forgetMoved(db, actor.orgId, loserIds);
  const details = { losers: losers.map(({ id, crm_id }) => ({ id, ...(crm_id !== undefined && { crm_id }) })), moved };
  const change = { id: winnerId, patch: { ...patch.fields, ...clearedLists(table, set) }, eventId, details };
  const { record, changed } = await mergeWinner(db, actor, table, change);
  return { record, changed, filled: filledBy.map(({ name }) => name), moved };
}

/**
 * Locks the records, and the records that they and `set` refer to. Returns the records, the winner first. Throws if
 * they cannot be merged.
 */
export async function lockAll(db: UnitDb, orgId: string, table: RecordTable<unknown>, given: Merge): Promise<Known[]> {
  const { winnerId, loserIds, set, versions } = given;
  const ids = [winnerId, ...loserIds];
  const read = async () =>
    (await findRecords(
      db,
      table,
      ids.map((id) => ({ orgId, id })),
    )) as (Known | undefined)[];
  const keysOf = (records: readonly (Row | undefined)[]) =>
    records.flatMap((record) => (record ? upsertKeys(orgId, table, { match: [], create: record, set }) : []));
  const found = await read();
  const keys = keysOf(found);
  await db.lock(keys);
  // Like every change of links, it locks the referenced records before its own.
  await lockReferences(db, orgId, table, [set, ...found.filter((record) => record !== undefined)]);
  await db.call(locksFor('delete', table), { orgId, ids });
  const records = await read();
  const others = keysOf(records).filter((key) => !keys.includes(key));
  if (others.length > 0) await db.lock(others);
  const known = records.filter((record) => record !== undefined);
  if (known.length < ids.length) throw await unknownRecords(db, orgId, given, known);
  const missing = await missingDetails(db, orgId, table, set);
  if (missing.length > 0) throw inSet(missing);
  const stale = known.filter((record) => isStale(record, versions.get(record.id)));
  if (stale.length > 0) throw staleVersions(stale.map(({ id }) => id));
  return known;
}

const isStale = (record: Row, versions: readonly string[] | undefined) =>
  versions !== undefined && !versions.includes(String(Date.parse(record['updated_at'] as string)));

function staleVersions(ids: readonly string[]): AppError {
  const message = `${ids.length === 1 ? 'A record has' : `${ids.length} records have`} changed since you read them: ${ids.join(', ')}.`;
  return new AppError('precondition_failed', message, { data: { stale_ids: ids } });
}

async function unknownRecords(db: UnitDb, orgId: string, { winnerId, loserIds }: Merge, known: readonly Known[]) {
  const gone = [winnerId, ...loserIds].filter((id) => !known.some((record) => record.id === id));
  const winners = new Map((await findWinners(db, orgId, gone)).map(({ id, winner }) => [id, winner]));
  const details = gone.map((id): ErrorDetail => {
    const winner = winners.get(id);
    return {
      in: 'body',
      field: id === winnerId ? 'winner_id' : `loser_ids.${loserIds.indexOf(id)}`,
      code: 'invalid_reference',
      message: winner ? `Was merged into ${winner}.` : 'Does not exist in this organization.',
      ...(winner && { merged_into: winner }),
    };
  });
  return validationError(details);
}

function inSet(details: readonly ErrorDetail[]): AppError {
  return validationError(details.map((detail) => ({ ...detail, field: `set.${detail.field}` })));
}

/** Returns the patch with the values of losers for the winner, and which loser fills which field. */
function patchFor(table: RecordTable<unknown>, winner: Known, losers: readonly Known[]) {
  const fields: Row = {};
  const filledBy: { name: string; id: string }[] = [];
  for (const { name, type } of table.writableByWorkflows) {
    if (isList(type)) fields[name] = united([winner, ...losers].map((record) => (record[name] ?? []) as string[]));
    else if (isEmpty(winner[name])) {
      const giver = losers.find((loser) => !isEmpty(loser[name]));
      if (!giver) continue;
      fields[name] = giver[name];
      filledBy.push({ name, id: giver.id });
    }
  }
  return { fields, filledBy };
}

/**
 * Returns the distinct values of lists, at most `tagsMax`. Those of the first list come first and are never dropped.
 */
const united = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())].slice(0, tagsMax);

/** Returns `set` with an empty list for each list that it sets to null. */
function clearedLists(table: RecordTable<unknown>, set: Row): Row {
  const lists = table.writableByWorkflows.filter(({ name, type }) => isList(type) && set[name] === null);
  return { ...set, ...Object.fromEntries(lists.map(({ name }) => [name, []])) };
}

/** Records of one table that refer to losers. */
export interface LinksToLosers {
  referrer: IncomingLink;
  ids: readonly string[];
}

/** Finds records that refer to losers, at most `limit` for each referring table. */
export async function findLinks(
  db: UnitDb,
  orgId: string,
  table: RecordTable<unknown>,
  loserIds: readonly string[],
  limit: number,
): Promise<LinksToLosers[]> {
  const found: LinksToLosers[] = [];
  for (const referrer of incomingLinksTo(table))
    found.push({ referrer, ids: await findReferring(db, orgId, referrer, loserIds, limit) });
  return found;
}

export const countOf = (links: readonly LinksToLosers[]) => links.reduce((sum, { ids }) => sum + ids.length, 0);

/** Moves links to the winner, and returns the numbers of records that have changed. */
export async function moveLinks(
  db: UnitDb,
  actor: Actor,
  { winnerId, loserIds }: Merge,
  links: readonly LinksToLosers[],
  moving: typeof movesLinks,
): Promise<RecordCounts> {
  const { orgId } = actor;
  const moved: RecordCounts = {};
  for (const { referrer, ids } of links) {
    const recordIds = await db.call(locksFor('update', referrer.table), { orgId, ids });
    const call = { actor, recordIds, linkedIds: loserIds, winnerId };
    addCount(moved, referrer.table, await db.call(moving(referrer), call));
  }
  return moved;
}
