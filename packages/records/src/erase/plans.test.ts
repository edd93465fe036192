import { StandaloneUnitDb, type Statement, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import type { RecordTable } from '../table/record-table.ts';
import { eraseUnit } from './erase-record.ts';
import { findKnownTexts } from './known-texts.sql.ts';

let records: TestRecords;
beforeAll(async () => {
  records = await openTestRecords();
  const { owner } = records.db;
  const run = (text: string) => owner.query(statement('', text), [records.orgId]);
  await run(`INSERT INTO contacts (org_id, id, first_name, last_name)
    SELECT $1, uuidv7(), 'Ada', 'Lovelace' FROM generate_series(1, 5000)`);
  await run(`INSERT INTO events (org_id, id, seq, type, record_id, actor, record)
    SELECT $1, c.id, next_event($1), 'contact.created', c.id, '{}', '{}' FROM contacts c`);
  await run(`INSERT INTO trash (org_id, id, resource, record, deletion_id, merged_into)
    SELECT $1, gen_random_uuid(), 'contact', '{}', gen_random_uuid(), c.id FROM contacts c`);
  await run(`INSERT INTO trash_links (org_id, id, resource, record_id, field, preceding)
    SELECT $1, gen_random_uuid(), 'opportunities', c.id, 'contact_ids', '{}' FROM contacts c`);
  await run(`INSERT INTO idempotency_keys (org_id, key_id, name_hash, request_hash, request_id, status, body, record_ids)
    SELECT $1, $1, sha256(c.id::text::bytea), sha256(''), '', 200, '{}',
      CASE WHEN right(c.id::text, 1) = '0' THEN ARRAY[c.id, $1] ELSE ARRAY[c.id] END FROM contacts c`);
  await owner.query(statement('', 'ANALYZE'), []);
});
afterAll(() => records[Symbol.asyncDispose]());

/** Returns the texts of all statements that an erase runs. */
async function statementsOf(table: RecordTable<unknown>, id: string): Promise<string[]> {
  const texts = new Set<string>();
  await records.transaction(async (db) => {
    const watching = new StandaloneUnitDb(<Row>(prepared: Statement<Row>, values: readonly unknown[]) => {
      texts.add(prepared.text);
      return db.query(prepared, values);
    });
    await findKnownTexts(watching, records.orgId, table, id);
    const unit = eraseUnit(records.actor, table, { id, cascade: true, activities: true });
    await unit.run(watching, { isRetry: false, isOver: () => false });
  });
  return [...texts];
}

test('no statement of an erase reads a whole table', async () => {
  const account = await records.insert(accounts, { account_name: 'Robotics' });
  const person = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace', account_id: account.id });
  const loser = await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace' });
  await records.db.owner.query(
    statement(
      '',
      `WITH gone AS (DELETE FROM contacts WHERE id = $2 RETURNING id)
      INSERT INTO trash (org_id, id, resource, record, deletion_id, merged_into) SELECT $1, id, 'contact', '{}', id, $3 FROM gone`,
    ),
    [records.orgId, loser.id, person.id],
  );
  const deal = await records.insert(opportunities, {
    opportunity_name: 'Deal',
    account_id: account.id,
    contact_ids: [person.id],
  });
  await records.insert(customActivities, { content: 'Called', source: 'api', opportunity_ids: [deal.id] });
  const texts = [...(await statementsOf(contacts, person.id)), ...(await statementsOf(accounts, account.id))];
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter((text) => text.includes('NOT IN (SELECT unnest('))).not.toEqual([]);
  for (const text of texts) {
    const plan = await records.db.owner.query(
      statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${text}`),
      [],
    );
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines, text).toMatch(text.includes('NOT IN (SELECT unnest(') ? 'hashed SubPlan' : '');
    expect(lines, text).not.toMatch(/Seq Scan on (?:events|trash|trash_links|idempotency_keys|contacts)\b/);
  }
});
