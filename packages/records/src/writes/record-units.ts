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

/**
 * Returns a unit that creates a record for a caller of the API. It needs a transaction only if a rule applies to the
 * record.
 */
export function createUnit<Rec>(actor: Actor, table: RecordTable<Rec>, fields: Row): Unit<Rec> {
  const isRuled = hasCreateRule(table, fields);
  return {
    orgId: actor.orgId,
    isPlain: !isRuled,
    ...(isRuled && { weight: charactersOf(fields) }),
    run: (db) => createRecord(db, actor, table, fields, table.writable),
  };
}

/**
 * Returns a unit that changes a record for a caller of the API. It needs a transaction only if the patch depends on the
 * record.
 */
export function patchUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Patch): Unit<Upserted<Rec>> {
  return {
    orgId: actor.orgId,
    weight: charactersOf(given.patch),
    isPlain: !dependsOnRecord(table, given),
    run: (db) => patchRecord(db, actor, table, given, table.writable),
  };
}

/** Returns a unit that creates or changes a record for a caller of the API. */
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

/** Returns a unit that deletes a record for a caller of the API. */
export function deleteUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Deletion): Unit<Deleted<Rec>> {
  return { orgId: actor.orgId, run: (db) => deleteRecord(db, actor, table, { ...given, leavesOthers: true }) };
}

/** Returns a unit that merges records. It must run alone, since it waits for locks. */
export function mergeUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Merge): Unit<Merged<Rec>> {
  return { orgId: actor.orgId, run: (db) => mergeRecords(db, actor, table, given) };
}

/** Returns a unit that restores a record. It must run alone, since it waits for locks. */
export function restoreUnit(actor: Actor, given: Restore): Unit<Restored> {
  return { orgId: actor.orgId, run: (db) => restoreRecord(db, actor, given) };
}

/** Returns the approximate number of characters of fields. Only texts and lists of texts are measured. */
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
