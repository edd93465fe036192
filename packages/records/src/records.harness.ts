import { createOrganization } from '@relata/auth';
import type { Database, UnitDb } from '@relata/db';
import { type Actor, operatorActor, systemActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { expect } from 'vitest';
import { pipelines } from './pipelines/pipeline.table.ts';
import { insertRecords, newRow } from './writes/create-record.ts';
import type { Row } from './table/record-column.ts';
import type { RecordTable } from './table/record-table.ts';
import { stages } from './stages/stage.table.ts';
import { readUpsert, type UpsertInput, upsertRecord } from './writes/upsert-record.ts';

/** A database with two organizations. */
export interface TestRecords extends AsyncDisposable {
  db: TestDatabase;
  orgId: string;
  /** An operator in the first organization. */
  actor: Actor;
  otherOrgId: string;
  /** Runs `work` in a transaction, as a worker does for the steps of a run. */
  transaction<Result>(work: (db: UnitDb) => Promise<Result>): Promise<Result>;
  /** Inserts a row unchanged, without applying any rules. */
  insert<Rec>(table: RecordTable<Rec>, fields: Row, orgId?: string): Promise<Rec>;
  /** Creates a stage in a new pipeline, and returns its id. */
  insertStage(pipeline: string, orgId?: string): Promise<string>;
}

export async function openTestRecords(): Promise<TestRecords> {
  const db = await createTestDatabase();
  const { database } = db;
  const orgId = (await createOrganization(database, 'Acme')).id;
  const otherOrgId = (await createOrganization(database, 'Globex')).id;
  const insert: TestRecords['insert'] = async (table, fields, org = orgId) => {
    const [record] = await insertRecords(database, table, [
      newRow(systemActor(org, 'test'), table, fields, table.writableByWorkflows),
    ]);
    return record!;
  };
  const insertStage = async (name: string, org = orgId) => {
    const pipeline = await insert(pipelines, { name, active: true, is_default: false }, org);
    const flags = { is_won: false, is_lost: false, is_closed: false, active: true, display_order: 1 };
    return (await insert(stages, { pipeline_id: pipeline.id, name: 'First', ...flags }, org)).id;
  };
  const dispose = () => db[Symbol.asyncDispose]();
  const transaction: TestRecords['transaction'] = (work) => database.transaction(work);
  const actor = operatorActor(orgId, 'test');
  return { db, orgId, actor, otherOrgId, transaction, insert, insertStage, [Symbol.asyncDispose]: dispose };
}

/** Returns a database whose bulk transactions fail after the given number, as if the process had been killed. */
export function killedAfter(database: Database, transactions: number): Database {
  let left = transactions;
  const bulkOf: Database['bulkOf'] = (orgId, signal) => {
    const one = database.bulkOf(orgId, signal);
    return {
      query: one.query.bind(one),
      transaction: (work) => (left-- > 0 ? one.transaction(work) : Promise.reject(new Error('killed'))),
    };
  };
  return { ...database, bulkOf };
}

/** Upserts unchecked input, and returns the record with the action, as a workflow sees it. */
export async function upsertAs<Rec extends object>(
  db: UnitDb,
  actor: Actor,
  table: RecordTable<Rec>,
  match: unknown,
  set: unknown,
  values: Omit<UpsertInput, 'match' | 'set'> = {},
) {
  const { record, action } = await upsertRecord(db, actor, table, readUpsert(table, { match, set, ...values }));
  return { ...record, action };
}

/** Returns a matcher for a `validation_error` with these problems, each written as `field code`. */
export function invalid(...problems: string[]) {
  const details = problems.map((problem) => {
    const [field, code] = problem.split(' ');
    return { in: 'body', field, code, message: expect.any(String) };
  });
  return { name: 'AppError', code: 'validation_error', details };
}
