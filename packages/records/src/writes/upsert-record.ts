import type { UnitDb } from '@relata/db';
import type { Actor } from '@relata/events';
import { AppError, noSuchRecord } from '@relata/schemas/errors';
import { countText, findCandidates, findOne, named } from '../matches/record-match.sql.ts';
import { type Match, readMatch } from '../matches/record-match.ts';
import { createRecord } from './create-record.ts';
import { givenFields } from '../record.sql.ts';
import type { Row } from '../table/record-column.ts';
import { validateCreate, validateUpdate } from '../table/record-fields.ts';
import type { RecordTable } from '../table/record-table.ts';
import { completePatch } from './record-rules.ts';
import { applyPatch, type Upserted } from './patch-record.ts';

/** Permitted actions: creating a record, changing one, or both. */
export type UpsertMode = 'upsert' | 'create_only' | 'update_only';

/** Values that a record should have, and the match that selects it; both have been read. */
export interface Upsert {
  match: Match;
  set: Row;
  mode?: UpsertMode;
  /** Result of `upsertKeys`, if it has been computed already. */
  keys?: readonly string[];
}

/** Returns an upsert from input that the API has read and checked. */
export function newUpsert(
  table: RecordTable<unknown>,
  { match, set, mode }: { match: Row; set: Row; mode: UpsertMode },
): Upsert {
  return { match: readMatch(table, match), set: givenFields(table.writableByWorkflows, set), mode };
}

/** Reads an upsert from unchecked input. */
export function readUpsert(table: RecordTable<unknown>, match: unknown, set: unknown): Upsert {
  return { match: readMatch(table, match), set: validateUpdate(table, set) };
}

/**
 * Gives the one matching record the values of `set`, or creates it from both, in which `set` wins over `match`. Upserts
 * that share a value by which records are looked up wait for each other. Throws `ambiguous_match` if several match, and
 * `not_found` for an id that matches nothing: callers cannot choose ids.
 */
export async function upsertRecord<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  given: Upsert,
): Promise<Upserted<Rec>> {
  const { match, set, mode = 'upsert' } = given;
  await db.lock(given.keys ?? upsertKeys(actor.orgId, table, match, set));
  if (mode === 'create_only') await refuseExisting(db, actor.orgId, table, match);
  const found = mode === 'create_only' ? null : await findOne(db, actor.orgId, table, match);
  if (found) return change(db, actor, table, found, set);
  if (mode === 'update_only' || match.some(([name]) => name === 'id')) throw noSuchRecord();
  const fields = validateCreate(table, { ...Object.fromEntries(match), ...set });
  return { action: 'created', record: await createRecord(db, actor, table, fields) };
}

/**
 * Returns a key for each value by which the record is or will be looked up. Upserts that share a key wait for each
 * other, even if one matches by domain and the other by the id in another CRM. Values that compare as equal give keys
 * that differ at most in case.
 */
export function upsertKeys(
  orgId: string,
  table: Pick<RecordTable<unknown>, 'name' | 'matches'>,
  match: Match,
  set: Row,
) {
  const names = Object.keys(table.matches).filter((name) => typeof set[name] === 'string');
  const values = [...match, ...names.map((name) => [name, set[name] as string] as const)];
  return [...new Set(values.map(([name, value]) => JSON.stringify([orgId, table.name, name, value])))];
}

async function refuseExisting(db: UnitDb, orgId: string, table: RecordTable<unknown>, match: Match): Promise<void> {
  const { ids, count } = await findCandidates(db, orgId, table, match);
  if (count === 0) return;
  const message = count === 1 ? `A record matches: ${ids[0]}.` : `${countText(count)} ${table.name} match.`;
  throw new AppError('already_exists', message, { data: named(ids, count) });
}

/**
 * Changes a found record. It compares twice: usually nothing changes, so the rules need not run; and they may turn a
 * change into none.
 */
async function change<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  found: Rec,
  set: Row,
): Promise<Upserted<Rec>> {
  if (isUnchanged(table, found, set)) return { action: 'unchanged', record: found };
  const { id } = found as Rec & { id: string };
  const patch = await completePatch(db, actor.orgId, table, id, set);
  if (isUnchanged(table, found, patch)) return { action: 'unchanged', record: found };
  return applyPatch(db, actor, table, { id, patch });
}

/** Returns true if a patch would not change the record. */
function isUnchanged(table: RecordTable<unknown>, record: object, patch: Row): boolean {
  return table.writableByWorkflows.every(({ name, type }) => {
    const given = patch[name];
    if (given === undefined) return true;
    const kept = (record as Row)[name];
    return type === 'text[]' ? isSameList(kept, given) : (kept ?? null) === given;
  });
}

/** Compares lists; a list without a value is empty. */
function isSameList(kept: unknown, given: unknown): boolean {
  const [a, b] = [kept ?? [], given ?? []] as [string[], string[]];
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
