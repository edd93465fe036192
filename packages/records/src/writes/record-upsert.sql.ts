import { type Db, statement } from '@relata/db';
import type { Actor } from '@relata/events';
import { validateCreate, validateUpdate } from '../table/record-fields.ts';
import { type Match, readMatch } from '../matches/record-match.ts';
import { findOne } from '../matches/record-match.sql.ts';
import type { Row } from '../table/record-column.ts';
import { completePatch } from './record-rules.ts';
import type { RecordTable } from '../table/record-table.ts';
import { applyPatch, createRecordIn, noSuchRecord } from './record-write.sql.ts';

/** A record, and what was done so that it is as it is. */
export type Upserted<Rec> = Rec & { action: 'created' | 'updated' | 'unchanged' };

/**
 * Makes the one record that matches carry `set`, or creates it from both, `set` coming before `match`. Both are taken
 * as they come from outside, and checked here. Within the caller's transaction: upserts of the same match wait for
 * each other until it ends, unless `lock` does otherwise. Several matches are a `conflict`; an id that matches nothing
 * is `not_found`, for an id is never chosen.
 */
export async function upsertRecord<Rec extends object>(
  db: Db,
  actor: Actor,
  table: RecordTable<Rec>,
  match: unknown,
  set: unknown,
  lock: LockMatch = lockMatch,
): Promise<Upserted<Rec>> {
  const { orgId } = actor;
  const by = readMatch(table, match);
  const patch = validateUpdate(table, set);
  const hasId = by.some(([name]) => name === 'id');
  await lock(db, matchKey(orgId, table, by));
  const found = await findOne(db, orgId, table, by);
  if (found) return change(db, actor, table, found, patch);
  if (hasId) throw noSuchRecord();
  const fields = validateCreate(table, { ...Object.fromEntries(by), ...patch });
  return { ...(await createRecordIn(db, actor, table, fields)), action: 'created' };
}

/** What a match is locked by: texts that the comparisons take for the same must give the same. */
export function matchKey(orgId: string, table: Pick<RecordTable<unknown>, 'name'>, by: Match): string {
  return JSON.stringify(['upsert', orgId, table.name, by]);
}

/** Locks a match until the transaction ends, by its `matchKey`. */
export type LockMatch = (db: Db, key: string) => Promise<void>;

/** Lowered by PostgreSQL, as the comparisons are, so that what they take for the same waits for the same. */
const hashed = 'hashtextextended(lower($1::text), 0)';

const lockStatement = statement<never>('records.upsert_lock', `SELECT pg_advisory_xact_lock(${hashed})`);

/** A statement of its own, so that the next one sees what the transaction before has committed. */
async function lockMatch(db: Db, key: string): Promise<void> {
  await db.query(lockStatement, [key]);
}

const tryLock = statement<{ is_locked: boolean }>(
  'records.upsert_try_lock',
  `SELECT pg_try_advisory_xact_lock(${hashed}) AS is_locked, set_config('lock_timeout', $2::text, true)`,
);

/**
 * Locks a match unless another transaction has locked it; returns whether it did. From then on the transaction also
 * waits at most `rowWaitMs` for a row: it holds what others wait for.
 */
export async function tryLockMatch(db: Db, key: string, rowWaitMs: number): Promise<boolean> {
  const [row] = await db.query(tryLock, [key, String(rowWaitMs)]);
  return row!.is_locked;
}

/** Looked at twice: most often nothing changes, and the rules need not be asked; they may turn a change into none. */
async function change<Rec extends object>(db: Db, actor: Actor, table: RecordTable<Rec>, found: Rec, set: Row) {
  if (isUnchanged(table, found, set)) return { ...found, action: 'unchanged' as const };
  const { id } = found as Rec & { id: string };
  const patch = await completePatch(db, actor.orgId, table, id, set);
  if (isUnchanged(table, found, patch)) return { ...found, action: 'unchanged' as const };
  const { outcome, record } = await applyPatch(db, actor, table, id, patch);
  return { ...record, action: outcome === 'changed' ? ('updated' as const) : ('unchanged' as const) };
}

/** Returns true if a record already is what a patch would make of it. */
function isUnchanged(table: RecordTable<unknown>, record: object, patch: Row): boolean {
  return table.writableByWorkflows.every(({ name, type }) => {
    const given = patch[name];
    if (given === undefined) return true;
    const kept = (record as Row)[name];
    return type === 'text[]' ? isSameList(kept, given) : (kept ?? null) === given;
  });
}

/** A list without a value is empty. */
function isSameList(kept: unknown, given: unknown): boolean {
  const [a, b] = [kept ?? [], given ?? []] as [string[], string[]];
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
