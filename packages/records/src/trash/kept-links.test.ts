import { statement, type UnitDb } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { mergeRecords } from '../merge/merge-records.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { insertRecords, newRow } from '../record.sql.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { deleteRecord } from './delete-record.ts';
import { restoreRecord } from './restore-record.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

/** With fewer, the planner reads the whole table for each record instead of its index. */
const linksCount = 1_000;
/**
 * Reads of each kept link: to find it, to put it back, and to remove it. The planner chooses between plans of up to 14; one
 * that reads the whole table for each link has a thousand.
 */
const readsMax = 50;

/** Inserts a contact with opportunities, and another contact. */
async function insertLinked() {
  const person = { first_name: 'Ada', last_name: 'Lovelace' };
  const { id } = await records.insert(contacts, person);
  const { id: otherId } = await records.insert(contacts, person);
  const { id: accountId } = await records.insert(accounts, { account_name: 'Robotics' });
  const deal = { opportunity_name: 'Deal', account_id: accountId, contact_ids: [id] };
  const row = newRow(records.actor, opportunities, deal);
  await insertRecords(
    records.db.database,
    opportunities,
    Array.from({ length: linksCount }, () => row),
  );
  return { id, otherId };
}

const linksRead = statement<{ n: number }>(
  'test.links_read',
  `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer AS n FROM pg_stat_xact_user_tables
   WHERE relname = 'trash_links'`,
);

type Work = (db: UnitDb, ids: { id: string; otherId: string }) => Promise<unknown>;

const ways: [what: string, work: Work][] = [
  ['a delete', (db, { id }) => deleteRecord(db, records.actor, contacts, { id })],
  [
    'a merge',
    (db, { id, otherId }) => {
      const merge = { winnerId: otherId, loserIds: [id], set: {}, versions: new Map() };
      return mergeRecords(db, records.actor, contacts, merge);
    },
  ],
];

test.each(ways)(
  'a restore after %s reads each kept link a few times, though the planner takes the table for empty',
  async (_what, work) => {
    const ids = await insertLinked();
    await records.db.owner.query(statement('test.analyze', 'ANALYZE trash_links, trash'), []);
    await records.transaction((db) => work(db, ids));
    const read = await records.transaction(async (db) => {
      await restoreRecord(db, records.actor, { id: ids.id });
      return db.query(linksRead, []);
    });
    expect(read[0]!.n).toBeGreaterThan(linksCount);
    expect(read[0]!.n).toBeLessThan(linksCount * readsMax);
  },
);
