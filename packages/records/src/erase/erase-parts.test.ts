import { type Database, Executor, firstIdAt, newId, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { mergeUnit } from '../writes/record-units.ts';
import { eraseUnit } from './erase-record.ts';
import type { Erased } from './erase-progress.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

const bounds = { events: 40, records: 5 };

class Killed extends Error {}

/**
 * Returns an executor whose transactions fail after the given number, as if the process had been killed, and a function
 * that returns the number of transactions so far. `between` is called before each transaction.
 */
function executorOf(transactions: number, between: (begun: number) => Promise<unknown> = () => Promise.resolve()) {
  const { database } = records.db;
  let begun = 0;
  const dying: Pick<Database, 'bulkOf' | 'of'> = {
    bulkOf: (orgId, signal) => ({
      query: (prepared, values) => database.bulkOf(orgId, signal).query(prepared, values),
      transaction: async (work) => {
        await between(begun);
        return database.bulkOf(orgId, signal).transaction(async (db) => {
          const result = await work(db);
          if (++begun > transactions) throw new Killed();
          return result;
        });
      },
    }),
    of: (orgId, signal) => dying.bulkOf(orgId, signal),
  };
  return { executor: new Executor({ ...database, ...dying }), begun: () => begun };
}

const insertEvents = statement<never>(
  'test.insert_events',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor, record)
   SELECT $1, gen_random_uuid(), next_event($1), 'contact.updated', $2, '{"type":"system"}', json_build_object('title', $3::text)
   FROM generate_series(1, $4)`,
);

/** Creates a person with 100 events, 12 activities, 7 opportunities and 7 merged records. */
async function makePerson() {
  const { orgId, actor } = records;
  const name = `q${newId()}`;
  const { id: accountId } = await records.insert(accounts, { account_name: 'Robotics' });
  const person = await records.insert(contacts, { first_name: name, last_name: 'Lovelace' });
  await records.db.database.query(insertEvents, [orgId, person.id, name, 100]);
  for (let i = 0; i < 12; i++)
    await records.insert(customActivities, { content: name, source: 'api', contact_ids: [person.id] });
  for (let i = 0; i < 7; i++)
    await records.insert(opportunities, { opportunity_name: 'Deal', account_id: accountId, contact_ids: [person.id] });
  const executor = new Executor(records.db.database);
  for (let i = 0; i < 7; i++) {
    const loser = await records.insert(contacts, { first_name: name, last_name: 'Lovelace' });
    const merge = { winnerId: person.id, loserIds: [loser.id], set: {}, versions: new Map() };
    await executor.runAlone(mergeUnit(actor, contacts, merge));
  }
  return { id: person.id, name };
}

const eventsOf = statement<{ type: string; content: string | null }>(
  'test.events_of',
  `SELECT type, concat(record, previous, details) AS content FROM events WHERE org_id = $1 ORDER BY seq`,
);
const rowsWith = statement<{ place: string }>(
  'test.rows_with',
  `SELECT 'events' AS place FROM events e WHERE e::text LIKE '%' || $1 || '%'
   UNION ALL SELECT 'contacts' FROM contacts c WHERE c::text LIKE '%' || $1 || '%'
   UNION ALL SELECT 'activities' FROM custom_activities a WHERE a::text LIKE '%' || $1 || '%'
   UNION ALL SELECT 'trash' FROM trash t WHERE t::text LIKE '%' || $1 || '%'`,
);
const erasedEvents = statement<{ type: string; n: number }>(
  'test.erased_events',
  `SELECT type, count(*)::integer AS n FROM events WHERE org_id = $1 AND type LIKE '%.erased' GROUP BY type ORDER BY type`,
);

const erasure = (id: string) => ({ id, cascade: false, activities: true });
const erasing = (id: string) => eraseUnit(records.actor, contacts, erasure(id), { bounds });
const query: Database['query'] = (prepared, values) => records.db.database.query(prepared, values);

const complete: Erased = {
  events: 101 + 12 + 7 * 3,
  activities: 12,
  mergedRecords: 7,
  unlinked: { opportunities: 7, activities: 0 },
};

test('a large erase takes several transactions, and its last event is that of the record itself', async () => {
  const { id, name } = await makePerson();
  const { executor, begun } = executorOf(Infinity);
  expect(await executor.runAlone(erasing(id), { isBulk: true })).toEqual(complete);
  expect(begun()).toBeGreaterThan(6);
  expect(await query(rowsWith, [name])).toEqual([]);
  expect((await query(eventsOf, [records.orgId])).at(-1)).toEqual({ type: 'contact.erased', content: '' });
});

test('a trial changes nothing, and reports that its counts are incomplete', async () => {
  const { id, name } = await makePerson();
  const before = await query(rowsWith, [name]);
  const { executor } = executorOf(Infinity);
  const trial = eraseUnit(records.actor, contacts, erasure(id), { bounds, isDryRun: true });
  const counted = await executor.runAlone(trial, { rollsBack: true, isBulk: true });
  expect(counted).toMatchObject({ isPart: true, activities: expect.any(Number) });
  expect(await query(rowsWith, [name])).toEqual(before);
  await executor.runAlone(erasing(id), { isBulk: true });
});

test('an erase that is repeated after it was killed has the same result as an uninterrupted one, whichever transaction was the last', async () => {
  const { orgId } = records;
  for (let transactions = 1, isKilled = true; isKilled; transactions++) {
    const { id, name } = await makePerson();
    const before = await query(erasedEvents, [orgId]);
    isKilled = await executorOf(transactions)
      .executor.runAlone(erasing(id), { isBulk: true })
      .then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
    if (isKilled) await executorOf(Infinity).executor.runAlone(erasing(id), { isBulk: true });
    expect(await query(rowsWith, [name]), `after ${transactions}`).toEqual([]);
    const counts = (rows: { type: string; n: number }[]) => new Map(rows.map(({ type, n }) => [type, n]));
    const [was, is] = [counts(before), counts(await query(erasedEvents, [orgId]))];
    const added = [...is].map(([type, n]) => [type, n - (was.get(type) ?? 0)]);
    expect(added, `after ${transactions}`).toEqual([
      ['activity.erased', 12],
      ['contact.erased', 8],
    ]);
    await expect(executorOf(Infinity).executor.runAlone(erasing(id))).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('a record that is merged between two parts of its erase is not erased, since the winner has its data now', async () => {
  const { actor, db } = records;
  const { id } = await makePerson();
  const winner = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace' });
  const merge = { winnerId: winner.id, loserIds: [id], set: {}, versions: new Map() };
  const mergeOnce = (begun: number) =>
    begun === 2 ? new Executor(db.database).runAlone(mergeUnit(actor, contacts, merge)) : Promise.resolve();
  const { executor } = executorOf(Infinity, mergeOnce);
  await expect(executor.runAlone(erasing(id), { isBulk: true })).rejects.toMatchObject({
    code: 'conflict',
    data: { merged_into: winner.id },
  });
  await executorOf(Infinity).executor.runAlone(erasing(id), { isBulk: true });
});

const dayMs = 86_400_000;

const insertInTrash = statement<never>(
  'test.insert_in_trash',
  `INSERT INTO trash (org_id, id, resource, record, deletion_id, deleted_at)
   SELECT $1, gen_random_uuid(), 'activity', json_build_object('opportunity_ids', ARRAY[CASE i WHEN $3 THEN $2 END]),
     gen_random_uuid(), now() - interval '1 day' + i * interval '1 second' FROM generate_series(1, $3::integer) i`,
);

test('an erase ends even if another dependent record is created before each part', async () => {
  const { db, orgId } = records;
  const { id } = await records.insert(accounts, { account_name: 'Robotics' });
  const deal = firstIdAt(Date.now() - 2 * dayMs);
  const insert = `INSERT INTO opportunities (org_id, id, opportunity_name, account_id) VALUES ($1, $2, 'Deal', $3)`;
  await db.owner.query(statement('', insert), [orgId, deal, id]);
  await db.owner.query(insertInTrash, [orgId, deal, 200]);
  const addDeal = (n: number) =>
    n < 50 ? records.insert(opportunities, { opportunity_name: 'Deal', account_id: id }) : Promise.resolve();
  const { executor, begun } = executorOf(Infinity, addDeal);
  const cascade = { id, cascade: true, activities: true };
  const erased = await executor.runAlone(eraseUnit(records.actor, accounts, cascade, { bounds }), { isBulk: true });
  expect(erased.activities).toBe(1);
  expect(begun()).toBeLessThan(20);
});

test('an erase that shared a transaction continues as a bulk unit, which its sender can cancel', async () => {
  const { database } = records.db;
  const { id } = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace' });
  const signals: (AbortSignal | undefined)[] = [];
  const bulkOf: Database['bulkOf'] = (orgId, signal) => {
    signals.push(signal);
    return database.bulkOf(orgId, signal);
  };
  const executor = new Executor({ ...database, bulkOf });
  await executor.run(erasing(id), { sender: { hasLeft: false, onLeft: undefined } });
  expect(signals).toEqual([expect.any(AbortSignal)]);
});
