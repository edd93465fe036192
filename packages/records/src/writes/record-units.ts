import type { Unit } from '@relata/db';
import type { Actor } from '@relata/events';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { type Merge, type Merged, mergeRecords } from '../merge/merge-records.ts';
import { type Deleted, deleteRecord, type Deletion } from '../trash/delete-record.ts';
import { type Restore, type Restored, restoreRecord } from '../trash/restore-record.ts';
import { createRecord } from './create-record.ts';
import type { Patch } from './patch.ts';
import { dependsOnRecord, patchRecord, type Upserted } from './patch-record.ts';
import { hasCreateRule } from './record-rules.ts';
import { type Chosen, type Upsert, upsertRecord } from './upsert-record.ts';

/** Creates a record for a caller of the API. Only one that a rule applies to needs a transaction. */
export function createUnit<Rec>(actor: Actor, table: RecordTable<Rec>, fields: Row): Unit<Rec> {
  const isRuled = hasCreateRule(table, fields);
  return {
    orgId: actor.orgId,
    isPlain: !isRuled,
    ...(isRuled && { weight: charactersOf(fields) }),
    run: (db) => createRecord(db, actor, table, fields, table.writable),
  };
}

/** Changes a record for a caller of the API. Only a patch that depends on the record needs a transaction. */
export function patchUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Patch): Unit<Upserted<Rec>> {
  return {
    orgId: actor.orgId,
    weight: charactersOf(given.patch),
    isPlain: !dependsOnRecord(table, given),
    run: (db) => patchRecord(db, actor, table, given, table.writable),
  };
}

/** Creates or changes a record for a caller of the API. */
export function upsertUnit<Rec extends object>(
  actor: Actor,
  table: RecordTable<Rec>,
  given: Upsert,
): Unit<Chosen<Rec>> {
  return {
    orgId: actor.orgId,
    weight: [Object.fromEntries(given.match), given.create, given.fill, given.add, given.set]
      .map((fields = {}) => charactersOf(fields))
      .reduce((sum, characters) => sum + characters),
    run: (db) => upsertRecord(db, actor, table, given),
  };
}

/** Deletes a record for a caller of the API. */
export function deleteUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Deletion): Unit<Deleted<Rec>> {
  return { orgId: actor.orgId, run: (db) => deleteRecord(db, actor, table, { ...given, leavesOthers: true }) };
}

/** Merges records for a caller of the API. It waits for others, so it runs alone. */
export function mergeUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Merge): Unit<Merged<Rec>> {
  return { orgId: actor.orgId, run: (db) => mergeRecords(db, actor, table, given) };
}

/** Restores a record for a caller of the API. It waits for others, so it runs alone. */
export function restoreUnit(actor: Actor, given: Restore): Unit<Restored> {
  return { orgId: actor.orgId, run: (db) => restoreRecord(db, actor, given) };
}

/** Returns the approximate number of characters of fields: only texts are long. */
function charactersOf(fields: Row): number {
  let characters = 0;
  for (const name in fields) characters += name.length + lengthOf(fields[name]);
  return characters;
}

const shortLength = 8;

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + lengthOf(item), 0) : shortLength;
}
