import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, noSuchRecord } from '@relata/schemas/errors';
import {
  type Candidates,
  type Choice,
  chooseOne,
  countText,
  findCandidates,
  idsOf,
  named,
} from '../matches/record-match.sql.ts';
import { type Match, readMatch } from '../matches/record-match.ts';
import { locksFor } from '../links/referring.sql.ts';
import { missingRecord } from '../trash/missing-record.ts';
import { type Additions, newFields, patchFor } from './additions.ts';
import { createRecord } from './create-record.ts';
import { givenFields } from '../record.sql.ts';
import { isList, type Row } from '../table/record-column.ts';
import { validateCreate } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';
import { applyPatch, preparePatch, type Upserted } from './patch-record.ts';
import { referencesChange, refuseMissing } from './reference.sql.ts';
import { readValues } from './read-values.ts';

/** Permitted actions: creating a record, changing one, or both. */
export type UpsertMode = 'upsert' | 'create_only' | 'update_only';

/** The record to take if several match; `fail` refuses the upsert. */
type OnSeveral = 'fail' | Choice;

/** Values that a record should have, and the match that selects it. All have been checked. */
export interface Upsert extends Additions {
  match: Match;
  /** Values for a new record only. */
  create?: Row | undefined;
  set: Row;
  mode?: UpsertMode;
  onSeveral?: OnSeveral | undefined;
  /** Result of `upsertKeys`, if it has been computed already. */
  keys?: readonly string[];
  /**
   * True if the response may be stored. The record is then locked even if it does not change, so that it cannot be
   * erased before the response is committed.
   */
  isStored?: boolean | undefined;
}

/** Members of an upsert as callers give them. */
export interface UpsertInput<Part = unknown> {
  match: Part;
  create?: Part | undefined;
  fill?: Part | undefined;
  add?: Part | undefined;
  set?: Part | undefined;
  on_several?: OnSeveral | undefined;
}

/** Result of an upsert. If it chose among matching records, `candidateCount` is their number. */
export type Chosen<Rec> = Upserted<Rec> & { candidateCount?: number };

/** Returns an upsert from input that the API has read and checked. */
export function newUpsert(table: RecordTable<unknown>, input: UpsertInput<Row> & { mode: UpsertMode }): Upsert {
  const { match, create, fill, add, set = {}, mode, on_several: onSeveral } = input;
  const given = (fields: Row | undefined) => fields && givenFields(table.writableByWorkflows, fields);
  return {
    match: readMatch(table, match),
    create: given(create),
    fill: given(fill),
    add: given(add),
    set: given(set)!,
    mode,
    onSeveral,
  };
}

/** Reads an upsert from unchecked input. */
export function readUpsert(table: RecordTable<unknown>, { match, on_several, ...values }: UpsertInput): Upsert {
  return { match: readMatch(table, match), ...readValues(table, values), onSeveral: on_several };
}

/**
 * Applies `set`, `fill` and `add` to the matching record. If none matches, creates one as `newFields` describes.
 * Upserts that share a value by which records are looked up wait for each other. Throws `ambiguous_match` if several
 * match and none may be chosen, and `not_found` for an id that matches nothing: callers cannot choose ids.
 */
export async function upsertRecord<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Upsert,
): Promise<Chosen<Rec>> {
  const isById = given.match.some(([name]) => name === 'id');
  await db.lock(given.keys ?? upsertKeys(actor.orgId, table, given));
  for (let tries = 1; ; tries++) {
    try {
      return await upsertOnce(db, actor, table, given, isById);
    } catch (error) {
      if (!(error instanceof GoneError)) throw error;
      if (isById) throw await missingById(db, actor.orgId, given.match);
      if (tries === triesMax) throw referencesChange();
    }
  }
}

const missingById = (db: UnitDb, orgId: string, match: Match) =>
  missingRecord(db, orgId, match.find(([name]) => name === 'id')![1]);

/** Maximum number of look-ups: the record that was found may be deleted before it is changed. */
const triesMax = 2;

/** The record that was found was deleted before it was changed. */
class GoneError extends Error {
  override name = 'GoneError';
}

async function upsertOnce<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Upsert,
  isById: boolean,
): Promise<Chosen<Rec>> {
  const { match, mode = 'upsert', onSeveral = 'fail' } = given;
  const { orgId } = actor;
  const candidates = await findCandidates(db, orgId, table, match);
  const choice = onSeveral === 'fail' ? undefined : onSeveral;
  const mayCreate = !isById && mode !== 'update_only';
  const mayChange = mode !== 'create_only' && (candidates.count === 1 || choice !== undefined);
  // An invalid reference in the body is reported even if no record can be written: 400 comes before 404 and 409.
  if (candidates.count === 0 ? !mayCreate : !mayChange) await refuseMissing(db, orgId, table, newFields(match, given));
  if (mode === 'create_only') refuseExisting(table, candidates);
  const found = await chooseOne(db, orgId, table, match, candidates, choice);
  if (found) {
    const chosen = choice && { candidateCount: candidates.count };
    return { ...(await change(db, actor, table, found, { ...given, ...chosen })), ...chosen };
  }
  if (isById) throw await missingById(db, orgId, match);
  if (mode === 'update_only') throw noSuchRecord();
  const fields = validateCreate(table, newFields(match, given));
  return { action: 'created', record: await createRecord(db, actor, table, fields) };
}

/**
 * Returns a key for each value by which the record is or will be looked up. Upserts that share a key wait for each
 * other, even if one matches by domain and the other by the id in another CRM. Values that compare as equal give keys
 * that differ at most in case, which locks ignore.
 */
export function upsertKeys(
  orgId: string,
  table: Pick<RecordTable<unknown>, 'name' | 'matches'>,
  { match, create = {}, fill = {}, set = {} }: Pick<Upsert, 'match' | 'create' | 'fill'> & { set?: Row },
) {
  const names = Object.keys(table.matches);
  const values = [create, fill, set].flatMap((fields) =>
    names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]] as const] : [])),
  );
  return [...new Set([...match, ...values].map(([name, value]) => JSON.stringify([orgId, table.name, name, value])))];
}

function refuseExisting(table: RecordTable<unknown>, { rows, count }: Candidates): void {
  if (count === 0) return;
  const ids = idsOf(rows);
  const message = count === 1 ? `A record matches: ${ids[0]}.` : `${countText(count)} ${table.name} match.`;
  throw new AppError('already_exists', message, { data: named(ids, count) });
}

/**
 * Changes a found record. Compares the record with the patch twice: first without locks and rules, since usually
 * nothing would change, and again after the rules have completed the patch.
 */
async function change<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  found: Rec,
  given: Upsert & { candidateCount?: number },
): Promise<Upserted<Rec>> {
  const { set, fill, add, candidateCount } = given;
  const { id } = found as Rec & { id: string };
  if (isUnchanged(table, found, patchFor(table, found as Row, set, given))) {
    // An erase must find the stored response. This lock makes the erase wait until the response is committed.
    if (given.isStored && (await db.call(locksFor('keep', table), { orgId: actor.orgId, ids: [id] })).length === 0)
      throw new GoneError();
    return { action: 'unchanged', record: found };
  }
  const { patch, current = found } = await preparePatch(db, actor, table, { id, patch: set, fill, add });
  if (isUnchanged(table, current, patch)) return { action: 'unchanged', record: current };
  try {
    return await applyPatch(db, actor, table, { id, patch, candidateCount });
  } catch (error) {
    throw error instanceof AppError && error.code === 'not_found' ? new GoneError() : error;
  }
}

/** Returns true if a patch would not change the record. */
function isUnchanged(table: RecordTable<unknown>, record: object, patch: Row): boolean {
  return table.writableByWorkflows.every(({ name, type }) => {
    const given = patch[name];
    if (given === undefined) return true;
    const kept = (record as Row)[name];
    return isList(type) ? isSameList(kept, given) : (kept ?? null) === given;
  });
}

/** Returns true if two lists are the same; a missing list counts as empty. */
function isSameList(kept: unknown, given: unknown): boolean {
  const [a, b] = [kept ?? [], given ?? []] as [string[], string[]];
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
