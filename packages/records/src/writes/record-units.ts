import type { Unit } from '@relata/db';
import type { Actor } from '@relata/events';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { createRecord } from './create-record.ts';
import { type Patch, patchRecord, type Upserted } from './patch-record.ts';
import { hasRuleFor } from './record-rules.ts';
import { type Upsert, upsertRecord } from './upsert-record.ts';

/** Creates a record for a caller of the API. */
export function createUnit<Rec>(actor: Actor, table: RecordTable<Rec>, fields: Row): Unit<Rec> {
  return {
    orgId: actor.orgId,
    isPlain: true,
    run: (db) => createRecord(db, actor, table, fields, table.writable),
  };
}

/** Changes a record for a caller of the API. Only a patch with a rule needs a transaction. */
export function patchUnit<Rec>(actor: Actor, table: RecordTable<Rec>, given: Patch): Unit<Upserted<Rec>> {
  return {
    orgId: actor.orgId,
    weight: charactersOf(given.patch),
    isPlain: !hasRuleFor(table, given.patch),
    run: (db) => patchRecord(db, actor, table, given, table.writable),
  };
}

/** Creates or changes a record for a caller of the API. */
export function upsertUnit<Rec extends object>(
  actor: Actor,
  table: RecordTable<Rec>,
  given: Upsert,
): Unit<Upserted<Rec>> {
  return {
    orgId: actor.orgId,
    weight: charactersOf(Object.fromEntries(given.match)) + charactersOf(given.set),
    run: (db) => upsertRecord(db, actor, table, given),
  };
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
