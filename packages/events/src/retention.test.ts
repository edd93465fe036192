import { type Database, type Db, newId, openDatabase, type Statement, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropOldEvents, findOverdueEvents } from './retention.sql.ts';

const old = 90 * 86_400_000;
const sql = (text: string, db: Db = database) => db.query(statement<Record<string, unknown>>('', text), []);

let opened: TestDatabase;
let database: Database;
let orgId: string;
let otherOrgId: string;

beforeEach(async () => {
  opened = await createTestDatabase();
  database = opened.database;
  [orgId, otherOrgId] = [newId(), newId()];
  await sql(`INSERT INTO organizations (id, name) VALUES ('${orgId}', 'Acme'), ('${otherOrgId}', 'Globex')`);
});
afterEach(() => opened[Symbol.asyncDispose]());

/** Inserts events of this age, each after all existing ones. */
const insert = (count: number, days: number, org = orgId) =>
  sql(`INSERT INTO events (org_id, id, seq, created_at, type, record_id, actor)
       SELECT '${org}', gen_random_uuid(), next_event('${org}'), now() - interval '${days} days', 'account.updated',
         gen_random_uuid(), '{"type":"system"}' FROM generate_series(1, ${count})`);

/** Returns the ages of the events in days, in the order of the feed. */
async function ages(org = orgId): Promise<unknown[]> {
  const rows = await sql(
    `SELECT extract(day FROM now() - created_at)::integer AS days FROM events WHERE org_id = '${org}' ORDER BY seq`,
  );
  return rows.map(({ days }) => days);
}

/** Wraps the database, and records the statements sent to it. */
function watched(): { watching: Database; sent: Statement<unknown>[] } {
  const sent: Statement<unknown>[] = [];
  const query: Database['query'] = (prepared, values) => {
    sent.push(prepared);
    return database.query(prepared, values);
  };
  return { watching: { ...database, query }, sent };
}

test('deletes old events, and keeps young ones', async () => {
  for (const days of [200, 91, 89, 0]) await insert(1, days);
  expect(await dropOldEvents(database, old)).toBe(2);
  expect(await ages()).toEqual([89, 0]);
  expect(await dropOldEvents(database, old)).toBe(0);
});

test('stops deleting at the first young event', async () => {
  for (const days of [200, 89, 91, 0]) await insert(1, days);
  expect(await dropOldEvents(database, old)).toBe(1);
  expect(await ages()).toEqual([89, 91, 0]);
});

test('keeps the last event of an organization, however old it is', async () => {
  for (const days of [300, 200, 100]) await insert(1, days);
  expect(await dropOldEvents(database, old)).toBe(2);
  expect(await dropOldEvents(database, old)).toBe(0);
  expect(await ages()).toEqual([100]);
});

test('reports how long the oldest expired event has been overdue', async () => {
  const overdue = () => findOverdueEvents(database, old);
  await insert(1, 300);
  await insert(2, 10, otherOrgId);
  expect(await overdue()).toBe(0);
  await insert(1, 100);
  expect(await overdue()).toBeCloseTo(210 * 86_400, -2);
  await dropOldEvents(database, old);
  expect(await overdue()).toBe(0);
});

test("deletes an organization's events by their own ages, and keeps its last event", async () => {
  await insert(2, 100);
  await insert(2, 10, otherOrgId);
  await insert(1, 100);
  await insert(1, 10, otherOrgId);
  expect(await dropOldEvents(database, old)).toBe(2);
  expect([await ages(), await ages(otherOrgId)]).toEqual([[100], [10, 10, 10]]);
});

test('deletes 2,500 events with three statements; an organization with few events has its turn after the first', async () => {
  for (const [count, days, org] of [
    [2_500, 100, orgId],
    [1, 0, orgId],
    [5, 100, otherOrgId],
    [1, 0, otherOrgId],
  ] as const)
    await insert(count, days, org);
  const { watching, sent } = watched();
  expect(await dropOldEvents(watching, old)).toBe(2_505);
  expect([await ages(), await ages(otherOrgId)]).toEqual([[0], [0]]);
  expect(sent.filter(({ name }) => name === 'events.drop_oldest')).toHaveLength(3 + 1);
});

test('if deleting fails for one organization, it deletes all old events of the others and then throws', async () => {
  await insert(2, 100);
  await insert(2_500, 100, otherOrgId);
  await insert(1, 0, otherOrgId);
  await sql(
    `DO $do$ BEGIN
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON events
         FOR EACH ROW WHEN (OLD.org_id = '${orgId}') EXECUTE FUNCTION refuse();
     END $do$`,
    opened.owner,
  );
  await expect(dropOldEvents(database, old)).rejects.toThrow('broken');
  expect([await ages(), await ages(otherOrgId)]).toEqual([[100, 100], [0]]);
});

test('two concurrent processes delete each event once', async () => {
  await insert(5_000, 100);
  await insert(1, 0);
  await using second = openDatabase({ url: opened.url, name: 'second', poolMax: 1 });
  const dropped = await Promise.all([dropOldEvents(database, old), dropOldEvents(second, old)]);
  expect(dropped[0] + dropped[1]).toBe(5_000);
  expect(await ages()).toEqual([0]);
});

test('skips events that another transaction has locked, without waiting', async () => {
  await insert(1_500, 100);
  await insert(1, 0);
  await database.transaction(async (db) => {
    await sql('SELECT FROM events ORDER BY seq LIMIT 1200 FOR UPDATE', db);
    expect(await dropOldEvents(database, old)).toBe(300);
  });
  expect(await dropOldEvents(database, old)).toBe(1_200);
});

test('sends no further statement after a sweep is aborted', async () => {
  await insert(2, 100);
  const { watching, sent } = watched();
  await expect(dropOldEvents(watching, old, AbortSignal.abort())).rejects.toThrow('aborted');
  expect(sent).toHaveLength(1);
});

test('no statement scans the table of events, even with a generic plan', async () => {
  await insert(2, 100);
  const { watching, sent } = watched();
  await dropOldEvents(watching, old);
  await findOverdueEvents(watching, old);
  await insert(20_000, 100);
  await insert(20_000, 100, otherOrgId);
  await sql('ANALYZE events', opened.owner);
  const values = {
    'events.organizations_with_old': '(1)',
    'events.drop_oldest': `('${orgId}', 0, 1)`,
    'events.overdue': '(1)',
  };
  expect(sent.map(({ name }) => name)).toEqual(Object.keys(values));
  const plans = await database.transaction(async (db) => {
    await sql('SET LOCAL plan_cache_mode = force_generic_plan', db);
    const rows = [];
    for (const [i, given] of Object.values(values).entries()) {
      await sql(`PREPARE p${i} AS ${sent[i]!.text}`, db);
      rows.push(...(await sql(`EXPLAIN EXECUTE p${i} ${given}`, db)));
    }
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plans.match(/Index (Only )?Scan( Backward)? using events_feed/g)!.length).toBeGreaterThan(3);
  expect(plans).not.toContain('Seq Scan on events');
});
