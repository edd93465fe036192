import { type Database, newId, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Actor, organizationActor, operatorActor, systemActor, runActor } from './actor.ts';
import { writeAuditEvent } from './audit-event.sql.ts';

let opened: TestDatabase;
let database: Database;

beforeAll(async () => {
  opened = await createTestDatabase();
  database = opened.database;
});
afterAll(() => opened[Symbol.asyncDispose]());

const insertOrganization = statement<never>('test.org', `INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`);
const select = statement<Record<string, unknown>>(
  'test.events',
  `SELECT type, record_id, actor, request_id, depth, changed, previous, record FROM events
   WHERE org_id = $1 ORDER BY seq`,
);
const eventsOf = (orgId: string) => database.query(select, [orgId]);

async function newOrganization(): Promise<string> {
  const id = newId();
  await database.query(insertOrganization, [id]);
  return id;
}

const at = '2026-11-22T10:00:00.000Z';
const rowOf = (fields: object = {}) => ({
  id: newId(),
  name: 'inbound-lead',
  version: 1,
  max_running: null,
  created_at: at,
  updated_at: at,
  ...fields,
});

test('an event has the changed fields, their previous values and the row, without missing values', async () => {
  const orgId = await newOrganization();
  const before = rowOf();
  const row = { ...before, version: 2, max_running: 5, updated_at: '2026-11-22T11:00:00.000Z' };
  await writeAuditEvent(database, operatorActor(orgId, 'r'), 'workflow.applied', {
    before,
    row,
    hidden: ['definition'],
  });
  expect(await eventsOf(orgId)).toEqual([
    {
      type: 'workflow.applied',
      record_id: row.id,
      actor: { type: 'operator' },
      request_id: 'r',
      depth: 0,
      changed: ['version', 'max_running', 'definition'],
      previous: { version: 1 },
      record: row,
    },
  ]);
});

test('the event of a creation has no changed fields or previous values, and no event has hidden columns', async () => {
  const orgId = await newOrganization();
  const row = rowOf({ definition: { token: 'tok-5ecret' }, org_id: orgId });
  await writeAuditEvent(database, operatorActor(orgId, 'r'), 'workflow.applied', { row });
  const { max_running: _none, ...shown } = rowOf({ id: row.id });
  expect(await eventsOf(orgId)).toMatchObject([{ changed: null, previous: null, record: shown }]);
  expect(JSON.stringify(await eventsOf(orgId))).not.toMatch(/5ecret|org_id|max_running/);
});

test('a row in which only `updated_at` changes has no event', async () => {
  const orgId = await newOrganization();
  const before = rowOf();
  const row = { ...before, updated_at: '2026-11-22T11:00:00.000Z' };
  await writeAuditEvent(database, operatorActor(orgId, 'r'), 'workflow.applied', { before, row });
  expect(await eventsOf(orgId)).toEqual([]);
});

test("an event names its actor, and belongs only to the actor's organization", async () => {
  const [orgId, other] = [await newOrganization(), await newOrganization()];
  const actors: [Actor, object][] = [
    [operatorActor(orgId, 'r1'), { actor: { type: 'operator' }, request_id: 'r1', depth: 0 }],
    [systemActor(orgId, 'r2'), { actor: { type: 'system' }, request_id: 'r2' }],
    [
      organizationActor({ kind: 'user', userId: 'u', name: 'Ada', requestId: 'r3' }, orgId),
      { actor: { type: 'user', id: 'u', name: 'Ada' }, request_id: 'r3' },
    ],
    [
      organizationActor({ kind: 'api_key', keyId: 'k', keyName: 'ERP', requestId: 'r4' }, orgId),
      { actor: { type: 'api_key', id: 'k', name: 'ERP' }, request_id: 'r4' },
    ],
    [
      runActor(orgId, { runId: 'run', workflow: 'w', step: 's', depth: 1 }),
      { actor: { type: 'run', id: 'run', workflow: 'w', step: 's' }, request_id: 'run', depth: 2 },
    ],
  ];
  for (const [actor] of actors) await writeAuditEvent(database, actor, 'workflow.applied', { row: rowOf() });
  expect(await eventsOf(orgId)).toMatchObject(actors.map(([, event]) => event));
  expect(await eventsOf(other)).toEqual([]);
});

test('a transaction that is rolled back leaves no event', async () => {
  const orgId = await newOrganization();
  const failing = database.transaction(async (db) => {
    await writeAuditEvent(db, operatorActor(orgId, 'r'), 'workflow.applied', { row: rowOf() });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await eventsOf(orgId)).toEqual([]);
});

test('an undeclared type, and a row that lacks a column, do not compile', () => {
  const actor = operatorActor(newId(), 'r');
  const calls = [
    // @ts-expect-error: the type is not declared
    () => writeAuditEvent(database, actor, 'workflow.deleted', { row: rowOf() }),
    // @ts-expect-error: the row has no name
    () => writeAuditEvent(database, actor, 'secret.removed', { row: { id: '', created_at: at, updated_at: at } }),
  ];
  expect(calls).toHaveLength(2);
});
