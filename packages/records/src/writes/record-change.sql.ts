import { type Db, locked, newId, type SharedStatement, statement, type UnitDb } from '@relata/db';
import { type Actor, toEventOrigin } from '@relata/events';
import { givenFields } from '../record.sql.ts';
import { heldRecord } from './locked-record.sql.ts';
import type { Patch } from './patch.ts';
import { recordBatching } from './record-batching.ts';
import { changeSql } from '../table/change.sql.ts';
import { type Column, isList, type Row } from '../table/record-column.ts';
import { memoizePerTable, type RecordTable, toRecord } from '../table/record-table.ts';

/** A merge patch and the actor who requested it. */
export interface Change {
  orgId: string;
  id: string;
  /** The patch as JSON. */
  patch: string;
  /** Acceptable versions of the record; undefined to accept any version. */
  ifMatch: readonly string[] | undefined;
  /** Details of its event as JSON; null if it has none. */
  details: string | null;
  actor: Actor;
}

/** Result of a change, including the current record; `refused`: the patch refers to something missing. */
export type Changed<Rec> =
  /** `fields`: the names of the fields that differ now. */
  | { outcome: 'changed'; record: Rec; fields: string[] }
  | { outcome: 'unchanged'; record: Rec }
  | { outcome: 'failed'; record: Rec }
  | { outcome: 'refused' | 'locked' };

/** Returns a change with the fields of the patch that the actor may write. A list that is set to null becomes empty. */
export function newChange(
  actor: Actor,
  { id, patch, ifMatch, candidateCount = 1 }: Patch,
  writable: readonly Column[],
): Change {
  const fields = givenFields(writable, patch);
  for (const { name, type } of writable) if (isList(type) && fields[name] === null) fields[name] = [];
  const details = candidateCount > 1 ? JSON.stringify({ candidate_count: candidateCount }) : null;
  return { orgId: actor.orgId, id, patch: JSON.stringify(fields), ifMatch, details, actor };
}

const changesOf = memoizePerTable((table): SharedStatement<Change, Changed<unknown> | undefined> => ({
  run: async (db, changes, { waits }) => {
    const changed = await changeRows(db, table, changes, { skipsLocked: !waits });
    return changed.map((one) => (one?.outcome === 'locked' ? locked : one));
  },
  // Two changes of one record run in two statements, in their order, so that each gets its own result.
  keyOf: heldRecord,
  // A unit that has locked a record relies on the record's values, so a change by another unit waits until it ends.
  holds: (change) => [heldRecord(change)],
  wrote: (changed) => changed?.outcome === 'changed',
  batching: recordBatching(({ patch }: Change) => patch.length),
}));

/** Makes one change; returns undefined if there is no record with this id. */
export async function changeRow<Rec>(db: UnitDb, table: RecordTable<Rec>, change: Change) {
  return (await db.call(changesOf(table), change)) as Changed<Rec> | undefined;
}

/** If another transaction has locked a record, `change` waits and `changeUnlocked` skips it. */
const changeStatements = memoizePerTable((table) => ({
  change: statement<Row>(`${table.name}.change`, changeSql(table, { skipsLocked: false })),
  changeUnlocked: statement<Row>(`${table.name}.change_unlocked`, changeSql(table, { skipsLocked: true })),
}));

/**
 * Changes different records in one statement. Returns a result for each change, in order; it is undefined if the record
 * does not exist.
 */
export async function changeRows<Rec>(
  db: Db,
  table: RecordTable<Rec>,
  changes: readonly Change[],
  { skipsLocked }: { skipsLocked: boolean },
): Promise<(Changed<Rec> | undefined)[]> {
  const { change, changeUnlocked } = changeStatements(table);
  const rows = await db.query(skipsLocked ? changeUnlocked : change, valuesOf(changes));
  const results: (Changed<Rec> | undefined)[] = changes.map(() => undefined);
  for (const row of rows) results[(row['n'] as number) - 1] = changedOf(table, row);
  return results;
}

function valuesOf(changes: readonly Change[]): unknown[] {
  const origins = changes.map(({ actor }) => toEventOrigin(actor));
  return [
    changes.map(({ orgId }) => orgId),
    changes.map(({ id }) => id),
    changes.map(({ patch }) => patch),
    changes.map(({ ifMatch }) => ifMatch?.join() ?? null),
    changes.map(() => newId()),
    origins.map(({ actor }) => actor),
    origins.map(({ requestId }) => requestId),
    origins.map(({ depth }) => depth),
    changes.map(({ details }) => details),
  ];
}

function changedOf<Rec>(table: RecordTable<Rec>, row: Row): Changed<Rec> {
  const outcome = row['outcome'] as Changed<Rec>['outcome'];
  if (outcome === 'refused' || outcome === 'locked') return { outcome };
  const record = toRecord(table, row);
  return outcome === 'changed' ? { outcome, record, fields: row['changed_fields'] as string[] } : { outcome, record };
}

/** Takes the locks of a transaction that may write many records of a table, before it locks any of them. */
export async function lockForMany(db: UnitDb, orgId: string, { rules }: RecordTable<unknown>): Promise<void> {
  await rules?.lockMany?.(db, { orgId });
}

/**
 * Locks records in one order, so that two transactions that change some of the same records wait for each other without
 * a deadlock.
 */
export async function lockRows(
  db: Db,
  orgId: string,
  table: RecordTable<unknown>,
  ids: readonly string[],
): Promise<void> {
  await db.query(table.statements.lock, [orgId, ids]);
}
