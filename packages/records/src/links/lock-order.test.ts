import { StandaloneUnitDb, type UnitDb } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { mergeRecords } from '../merge/merge-records.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import type { RecordTable } from '../table/record-table.ts';
import { deleteRecord } from '../trash/delete-record.ts';
import { restoreRecord } from '../trash/restore-record.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

/** Inserts an account, a contact, an opportunity and an activity that are linked to each other; returns the ids. */
async function insertLinked() {
  const { id: account } = await records.insert(accounts, { account_name: 'Robotics' });
  const person = { first_name: 'Ada', last_name: 'Lovelace', account_id: account };
  const { id: contact } = await records.insert(contacts, person);
  const deal = { opportunity_name: 'Deal', account_id: account, contact_ids: [contact] };
  const { id: opportunity } = await records.insert(opportunities, deal);
  const links = { contact_ids: [contact], opportunity_ids: [opportunity] };
  await records.insert(customActivities, { content: 'Called', source: 'api', ...links });
  return { account, contact, opportunity };
}

type Linked = Awaited<ReturnType<typeof insertLinked>>;

const order = ['accounts', 'contacts', 'opportunities', 'custom_activities'];

/** Returns the tables whose records a transaction locks, in the order of their first locks. */
async function lockedBy(work: (db: UnitDb) => Promise<unknown>): Promise<string[]> {
  const names = new Set<string>();
  await records.transaction(async (tx) => {
    const db = new StandaloneUnitDb((prepared, values) => {
      const [table, use] = prepared.name.split('.') as [string, string];
      if (order.includes(table) && use.startsWith('lock_')) names.add(table);
      return tx.query(prepared, values);
    });
    await work(db);
  });
  return [...names];
}

const merge = (db: UnitDb, table: RecordTable<unknown>, winnerId: string, loserId: string) =>
  mergeRecords(db, records.actor, table, { winnerId, loserIds: [loserId], set: {}, versions: new Map() });

type Work = (db: UnitDb, one: Linked, other: Linked) => Promise<unknown>;

const remove = (db: UnitDb, table: RecordTable<unknown>, id: string, cascade?: boolean) =>
  deleteRecord(db, records.actor, table, { id, cascade });

const works: [what: string, work: Work][] = [
  ['a delete', (db, { contact }) => remove(db, contacts, contact)],
  ['a cascade', (db, { account }) => remove(db, accounts, account, true)],
  ['a merge of accounts', (db, one, other) => merge(db, accounts, other.account, one.account)],
  ['a merge of contacts', (db, one, other) => merge(db, contacts, other.contact, one.contact)],
];

test.each(works)('%s locks accounts, contacts, opportunities and activities in this order', async (_what, work) => {
  const [one, other] = [await insertLinked(), await insertLinked()];
  const locked = await lockedBy((db) => work(db, one, other));
  expect(locked.length).toBeGreaterThan(2);
  expect(locked).toEqual(order.filter((name) => locked.includes(name)));
});

test('the undo of a merge locks accounts, contacts, opportunities and activities in this order', async () => {
  const [one, other] = [await insertLinked(), await insertLinked()];
  await lockedBy((db) => merge(db, contacts, other.contact, one.contact));
  const locked = await lockedBy((db) => restoreRecord(db, records.actor, { id: one.contact }));
  expect(locked).toEqual(order);
});
