import { statement, type UnitDb } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { invalid, openTestRecords, type TestRecords } from '../records.harness.ts';
import type { RecordTable } from '../table/record-table.ts';
import { readMatch } from './record-match.ts';
import { findMatches, findOne } from './record-match.sql.ts';

let records: TestRecords;

beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

const person = { first_name: 'Ada', last_name: 'Lovelace' };
const find = async <Rec>(db: UnitDb, table: RecordTable<Rec>, match: unknown) =>
  findOne(db, records.orgId, table, readMatch(table, match));
const findContact = (match: unknown) => records.transaction((db) => find(db, contacts, match));
const findAccount = (match: unknown) => records.transaction((db) => find(db, accounts, match));

test('domain, email and account name match only as a whole, regardless of case', async () => {
  const account = await records.insert(accounts, { account_name: 'Größe AG', domain: 'Size.example' });
  const contact = await records.insert(contacts, { ...person, email: 'Ada@Case.example' });
  expect(await findAccount({ domain: 'SIZE.EXAMPLE' })).toEqual(account);
  expect(await findAccount({ account_name: 'GRÖßE ag' })).toEqual(account);
  expect(await findContact({ email: 'aDA@case.EXAMPLE' })).toEqual(contact);
  expect(await findAccount({ domain: 'size.example.com' })).toBeNull();
  expect(await findAccount({ account_name: 'Gr%' })).toBeNull();
});

test('crm_id matches exactly, and id regardless of case', async () => {
  const account = await records.insert(accounts, { account_name: 'A', crm_id: 'Crm-1' });
  const deal = { opportunity_name: 'Deal', account_id: account.id, crm_id: 'Opp-1' };
  const opportunity = await records.insert(opportunities, deal);
  expect(await findAccount({ crm_id: 'Crm-1' })).toEqual(account);
  expect(await findAccount({ crm_id: 'crm-1' })).toBeNull();
  expect(await findAccount({ id: account.id.toUpperCase() })).toEqual(account);
  const finding = records.transaction((db) => find(db, opportunities, { crm_id: 'Opp-1' }));
  expect(await finding).toEqual(opportunity);
});

test('a record matches only if all given values match', async () => {
  const fields = { account_name: 'Both', domain: 'both.example', crm_id: 'both' };
  const account = await records.insert(accounts, fields);
  expect(await findAccount({ id: account.id, ...fields })).toEqual(account);
  expect(await findAccount({ crm_id: 'both', domain: 'other.example' })).toBeNull();
});

test("another organization's records never match", async () => {
  const theirs = await records.insert(contacts, { ...person, email: 'theirs@b.example' }, records.otherOrgId);
  expect(await findContact({ email: 'theirs@b.example' })).toBeNull();
  expect(await findContact({ id: theirs.id })).toBeNull();
});

test('several matches are ambiguous, and at most ten are named', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    ids.push((await records.insert(contacts, { ...person, email: 'many@a.example' })).id);
    if (i !== 1) continue;
    const message = `2 contacts match: ${ids.join(', ')}.`;
    await expect(findContact({ email: 'Many@a.example' })).rejects.toMatchObject({ code: 'ambiguous_match', message });
  }
  const message = `12 contacts match: ${ids.slice(0, 10).join(', ')}, …`;
  await expect(findContact({ email: 'many@a.example' })).rejects.toMatchObject({ code: 'ambiguous_match', message });
  const found = await findMatches(records.db.database, records.orgId, contacts, { email: 'many@a.example' }, 5);
  expect(found.map(({ id }) => id)).toEqual(ids.slice(0, 5));
});

const insertSame = statement<never>(
  'test.insert_same',
  `INSERT INTO contacts (org_id, id, created_at, updated_at, first_name, last_name, email, crm_id)
   SELECT $1, uuidv7(), now(), now(), 'Ada', 'Same', $3, $4 FROM generate_series(1, $2)`,
);
const analyze = statement<never>('test.analyze', 'ANALYZE contacts');
const rowsRead = statement<{ n: number }>(
  'test.rows_read',
  `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer AS n
   FROM pg_stat_xact_user_tables WHERE relname = 'contacts'`,
);

test('a match with very many records reads few of them and reports at least a hundred (found A7)', async () => {
  const insert = (count: number, ...values: string[]) =>
    records.db.database.query(insertSame, [records.orgId, count, ...values]);
  await insert(5_000, 'same@a.example', 'Same');
  await insert(3, 'others@a.example', 'Few');
  await insert(3, 'few@a.example', 'Same');
  await insert(150, 'some@a.example', 'Some');
  const read = (match: object) =>
    records.transaction(async (db) => {
      // Counters of earlier transactions may not have been reported yet.
      const [before] = await db.query(rowsRead, []);
      const count = await find(db, contacts, match).catch(({ data }) => data.candidate_count);
      const [after] = await db.query(rowsRead, []);
      return { count, rows: after!.n - (before?.n ?? 0) };
    });
  for (const hasStatistics of [false, true]) {
    if (hasStatistics) await records.db.owner.query(analyze, []);
    // PostgreSQL uses a generic plan from the sixth execution on.
    for (let times = 0; times < 8; times++) {
      for (const match of [{ email: 'Same@a.example' }, { email: 'same@a.example', crm_id: 'Same' }]) {
        const { count, rows } = await read(match);
        expect([count, rows < 4_800]).toEqual([100, true]);
      }
      const none = await read({ email: 'none@a.example' });
      expect([none.count, none.rows < 20]).toEqual([null, true]);
      // One of the values selects few records, and the other value very many.
      for (const crm_id of ['Few', 'Some']) {
        const other = await read({ email: 'same@a.example', crm_id });
        expect([other.count, other.rows < 1_500]).toEqual([null, true]);
      }
      const few = await read({ email: 'few@a.example', crm_id: 'Same' });
      expect([few.count, few.rows < 1_500]).toEqual([3, true]);
    }
  }
  const message = /^At least 100 contacts match: .*, …$/;
  await expect(findContact({ email: 'same@a.example' })).rejects.toThrow(message);
});

test.each([
  [{}, 'match required'],
  [null, 'match invalid_type'],
  [[], 'match invalid_type'],
  ['a@b.example', 'match invalid_type'],
  [{ email: null }, 'match.email invalid_type'],
  [{ email: undefined }, 'match.email required'],
  [{ email: '' }, 'match.email too_short'],
  [{ email: 5 }, 'match.email invalid_type'],
  [{ email: ['a@b.example'] }, 'match.email invalid_type'],
  [{ email: 'a\u0000' }, 'match.email invalid_format'],
  [{ email: '\ud800' }, 'match.email invalid_format'],
  [{ crm_id: 'x'.repeat(2_049) }, 'match.crm_id too_long'],
  [{ id: 'nonsense' }, 'match.id invalid_format'],
  [{ id: '' }, 'match.id too_short'],
  [{ domain: 'a.example' }, 'match.domain unknown_field'],
  [JSON.parse('{"__proto__":"x"}'), 'match.__proto__ unknown_field'],
])('rejects the match %j: %s', async (match, problem) => {
  await records.insert(contacts, person);
  await expect(findContact(match)).rejects.toMatchObject(invalid(problem));
});

test('reports every problem of a match', async () => {
  const match = { crm_id: '', id: 1, first_name: 'x' };
  const problems = ['match.crm_id too_short', 'match.id invalid_type', 'match.first_name unknown_field'];
  await expect(findContact(match)).rejects.toMatchObject(invalid(...problems));
});

test('treats a value as data, even if it looks like SQL', async () => {
  await records.insert(contacts, { ...person, email: 'quote@a.example' });
  expect(await findContact({ email: "' OR '1'='1" })).toBeNull();
  expect(await findContact({ crm_id: '$1' })).toBeNull();
});
