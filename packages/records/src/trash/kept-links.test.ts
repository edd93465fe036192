import { newId, statement, type UnitDb } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { mergeRecords } from '../merge/merge-records.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { deleteRecord } from './delete-record.ts';
import { movesToTrash } from './move-to-trash.sql.ts';
import { restoreRecord } from './restore-record.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

/**
 * Number of links; high enough to tell a plan that reads all links for each record from one that reads each link a few
 * times.
 */
const linksCount = 1_000;
/** Maximum number of times that each kept link is read: to find it, to put it back and to remove it. */
const readsMax = 20;

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

/** Counts the links that this transaction and some earlier ones of its connection have read. */
const linksRead = statement<{ n: number }>(
  'test.links_read',
  `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer AS n FROM pg_stat_xact_user_tables
   WHERE relname = 'trash_links'`,
);

const setStatistics = statement<never>(
  'test.set_statistics',
  `SELECT WHERE NOT pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', $2::integer,
     'reltuples', $3::real)`,
);

const dealsOf = statement<{ id: string }>(
  'test.deals_of',
  'SELECT id FROM opportunities WHERE org_id = $1 AND $2 = ANY (contact_ids)',
);

/** Statistics of an empty table, and of a table with few rows in many pages, as after a purge. */
const statistics: [pages: number, rows: number][] = [
  [0, 0],
  [15, 0],
  [15, 1],
  [15, 20],
];

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
  [
    'a merge and a delete of the opportunities',
    async (db, { id, otherId }) => {
      const merge = { winnerId: otherId, loserIds: [id], set: {}, versions: new Map() };
      await mergeRecords(db, records.actor, contacts, merge);
      const dealIds = await db.query(dealsOf, [records.orgId, otherId]);
      const moves = dealIds.map((deal) => ({ actor: records.actor, id: deal.id, deletionId: newId() }));
      await db.call(movesToTrash(opportunities), moves);
    },
  ],
];

const cases = ways.flatMap(([what, work]) => statistics.map(([pages, rows]) => ({ what, work, pages, rows })));

test.each(cases)(
  'a restore after $what reads each kept link a few times, though the planner expects $rows rows in $pages pages',
  async ({ work, pages, rows }) => {
    const ids = await insertLinked();
    await records.transaction((db) => work(db, ids));
    for (const table of ['trash_links', 'trash_links_pkey', 'trash_links_deleted'])
      await records.db.owner.query(setStatistics, [table, pages, rows]);
    const read = await records.transaction(async (db) => {
      const [before] = await db.query(linksRead, []);
      await restoreRecord(db, records.actor, { id: ids.id });
      const [after] = await db.query(linksRead, []);
      return after!.n - (before?.n ?? 0);
    });
    expect(read).toBeGreaterThan(linksCount);
    expect(read).toBeLessThan(linksCount * readsMax);
  },
);
