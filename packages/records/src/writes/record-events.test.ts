import { Executor, statement } from '@relata/db';
import { type Actor, organizationActor, runActor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { createPipeline } from '../settings/setting.operations.ts';
import { openTestRecords, type TestRecords, upsertAs } from '../records.harness.ts';
import { createUnit, patchUnit } from './record-units.ts';

let records: TestRecords;
let executor: Executor;

beforeAll(async () => {
  records = await openTestRecords();
  executor = new Executor(records.db.database);
});
afterAll(() => records[Symbol.asyncDispose]());

interface Event {
  type: string;
  record_id: string;
  actor: object;
  request_id: string;
  depth: number;
  changed: string[] | null;
  previous: object | null;
  record: Record<string, unknown>;
}

const ofRecord = statement<Event>(
  'test.events_of_record',
  `SELECT type, record_id, actor, request_id, depth, changed, previous, record FROM events
   WHERE org_id = $1 AND record_id = $2 ORDER BY seq`,
);
const eventsOf = ({ id }: { id: string }, orgId = records.orgId) => records.db.database.query(ofRecord, [orgId, id]);

const keyIn = (orgId: string, keyId: string): Actor =>
  organizationActor({ kind: 'api_key', keyId, keyName: 'ERP sync', requestId: `request of ${keyId}` }, orgId);
const byKey = (keyId: string) => keyIn(records.orgId, keyId);

test('a created record has one event, with the record as shown and the key that created it', async () => {
  const made = await executor.run(createUnit(byKey('one'), accounts, { account_name: 'Acme', tags: ['a'] }));
  const [event, ...more] = await eventsOf(made);
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: 'account.created',
    actor: { type: 'api_key', id: 'one', name: 'ERP sync' },
    request_id: 'request of one',
    depth: 0,
    changed: null,
    previous: null,
    record: { id: made.id, account_name: 'Acme', tags: ['a'], city: null },
  });
  expect(Object.keys(event!.record)).not.toContain('org_id');
});

test('each of many records created together has the event of its own request', async () => {
  const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`);
  const made = await Promise.all(
    keys.map((key) => executor.run(createUnit(byKey(key), accounts, { account_name: key }))),
  );
  for (const [i, record] of made.entries())
    expect(await eventsOf(record)).toMatchObject([{ actor: { id: keys[i] }, record: { account_name: keys[i] } }]);
});

test("a change's event has the changed fields and their previous values; a change without effect has none", async () => {
  const made = await executor.run(
    createUnit(byKey('one'), accounts, { account_name: 'Acme', city: 'Bern', tags: ['a'] }),
  );
  const patch = { city: 'Basel', domain: 'acme.example', tags: ['b'], account_name: 'Acme' };
  await executor.run(patchUnit(byKey('two'), accounts, { id: made.id, patch }));
  await executor.run(patchUnit(byKey('three'), accounts, { id: made.id, patch }));
  const [, event, ...more] = await eventsOf(made);
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'account.updated', actor: { id: 'two' }, request_id: 'request of two' });
  expect(event!.changed!.toSorted()).toEqual(['city', 'domain', 'tags']);
  expect(event!.previous).toEqual({ city: 'Bern', tags: ['a'] });
  expect(event!.record).toMatchObject({ city: 'Basel', domain: 'acme.example', tags: ['b'] });
});

test('changes of one record that arrive together have their events in the order in which they apply', async () => {
  const made = await executor.run(createUnit(byKey('one'), contacts, { first_name: 'Ada', last_name: 'L', city: '0' }));
  const cities = Array.from({ length: 20 }, (_, i) => `${i + 1}`);
  await Promise.all(
    cities.map((city) => executor.run(patchUnit(byKey(city), contacts, { id: made.id, patch: { city } }))),
  );
  const [, ...updates] = await eventsOf(made);
  expect(updates.map(({ record }) => record['city'])).toEqual(cities);
  expect(updates.map(({ previous }) => previous)).toEqual(cities.map((_, i) => ({ city: `${i}` })));
});

test('the events of a run are written with its transaction or not at all', async () => {
  const run = runActor(records.orgId, { runId: 'run-1', workflow: 'sync', step: 'upsert', depth: 0 });
  const upsert = (set: object) =>
    records.transaction((db) => upsertAs(db, run, contacts, { email: 'ada@acme.example' }, set));
  const made = await upsert({ first_name: 'Ada', last_name: 'L' });
  await upsert({ first_name: 'Ada' });
  await upsert({ title: 'Countess' });
  const failing = records.transaction(async (db) => {
    await upsertAs(db, run, contacts, { email: 'ada@acme.example' }, { title: 'Lost' });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await eventsOf(made)).toMatchObject([
    { type: 'contact.created', actor: { type: 'run', id: 'run-1', workflow: 'sync', step: 'upsert' }, depth: 1 },
    { type: 'contact.updated', changed: ['title'], previous: {} },
  ]);
});

test('an activity has an event with its links, and a refused one has none', async () => {
  const contact = await executor.run(createUnit(byKey('one'), contacts, { first_name: 'Ada', last_name: 'L' }));
  const fields = { content: 'Called.', contact_ids: [contact.id] };
  const made = await executor.run(createUnit(byKey('one'), customActivities, fields));
  expect(await eventsOf(made)).toMatchObject([
    { type: 'activity.created', record: { content: 'Called.', contact_ids: [contact.id], opportunity_ids: [] } },
  ]);
  const before = await records.db.database.query(countEvents, [records.orgId]);
  await expect(
    executor.run(createUnit(byKey('one'), customActivities, { content: 'No.', owner_id: contact.id })),
  ).rejects.toMatchObject({ code: 'validation_error' });
  expect(await records.db.database.query(countEvents, [records.orgId])).toEqual(before);
});

const countEvents = statement<{ n: number }>('test.count_events', 'SELECT count(*) AS n FROM events WHERE org_id = $1');

test('a pipeline that stops being the default has an event, too', async () => {
  const { database } = records.db;
  const first = await createPipeline({ database }, records.actor, { name: 'First', is_default: true });
  await createPipeline({ database }, records.actor, { name: 'Second', is_default: true });
  expect(await eventsOf(first)).toMatchObject([
    { type: 'pipeline.created', actor: { type: 'operator' } },
    { type: 'pipeline.updated', changed: ['is_default'], previous: { is_default: true } },
  ]);
});

test("an event belongs to its organization, even when written together with another's", async () => {
  const theirs = keyIn(records.otherOrgId, 'theirs');
  const [ours, other] = await Promise.all([
    executor.run(createUnit(byKey('ours'), accounts, { account_name: 'Ours' })),
    executor.run(createUnit(theirs, accounts, { account_name: 'Theirs' })),
  ]);
  expect(await eventsOf(ours, records.otherOrgId)).toEqual([]);
  expect(await eventsOf(other)).toEqual([]);
  expect(await eventsOf(other, records.otherOrgId)).toMatchObject([{ actor: { id: 'theirs' } }]);
});
