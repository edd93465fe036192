import { openDatabase, type UnitDb } from '@relata/db';
import { type Actor, operatorActor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { findMatches } from '../matches/record-match.sql.ts';
import type { RecordTable } from '../table/record-table.ts';
import { invalid, openTestRecords, type TestRecords, upsertAs } from '../records.harness.ts';

let records: TestRecords;
let orgId: string;
let actor: Actor;

beforeAll(async () => {
  records = await openTestRecords();
  ({ orgId, actor } = records);
});
afterAll(() => records[Symbol.asyncDispose]());

const person = { first_name: 'Ada', last_name: 'Lovelace' };
const upsert = <Rec extends object>(table: RecordTable<Rec>, match: unknown, set: unknown, org = orgId) =>
  records.transaction((db) => upsertAs(db, operatorActor(org, 'test'), table, match, set));
const matches = <Rec>(table: RecordTable<Rec>, match: object) =>
  findMatches(records.db.database, orgId, table, match, 100);

test('an upsert without a match creates a record from `match` and `set`, and `set` wins', async () => {
  const match = { email: 'ADA@new.example', crm_id: 'c-1' };
  const created = await upsert(contacts, match, { ...person, email: 'ada@new.example' });
  expect(created).toMatchObject({ ...person, email: 'ada@new.example', crm_id: 'c-1', action: 'created' });
  const { action: _created, ...record } = created;
  expect(await matches(contacts, match)).toEqual([record]);
});

test('a matching record is changed, or left untouched including its time of change', async () => {
  const { action: _created, ...record } = await upsert(
    contacts,
    { email: 'ada@b.example' },
    { ...person, tags: ['x'] },
  );
  const again = await upsert(contacts, { email: 'Ada@B.example' }, { ...person, tags: ['x'], title: null });
  expect(again).toEqual({ ...record, action: 'unchanged' });
  expect(await matches(contacts, { id: record.id })).toEqual([record]);
  const changed = await upsert(contacts, { email: 'ada@b.example' }, { title: 'Countess', tags: null });
  expect(changed).toMatchObject({ id: record.id, title: 'Countess', tags: [], action: 'updated' });
  expect(changed.updated_at! > record.updated_at!).toBe(true);
  expect(await upsert(contacts, { email: 'ada@b.example' }, {})).toMatchObject({ action: 'unchanged' });
  expect(await upsert(contacts, { email: 'ada@b.example' }, { crm_id: 'b' })).toMatchObject({ action: 'updated' });
});

test('twenty concurrent upserts of one email create one contact', async () => {
  await using database = openDatabase({ url: records.db.url, name: 'upserts', poolMax: 20 });
  const one = (i: number) =>
    database.transaction((db) =>
      upsertAs(db, actor, contacts, { email: i % 2 ? 'Same@a.example' : 'same@A.example' }, person),
    );
  const done = await Promise.all(Array.from({ length: 40 }, (_, i) => one(i)));
  expect(new Set(done.map(({ id }) => id)).size).toBe(1);
  expect(done.map(({ action }) => action).toSorted()).toEqual(['created', ...Array<string>(39).fill('unchanged')]);
  expect(await matches(contacts, { email: 'same@a.example' })).toHaveLength(1);
});

test('a record that a transaction created and rolled back is created by the next transaction', async () => {
  const undone = records.transaction(async (db) => {
    await upsertAs(db, actor, contacts, { email: 'undone@a.example' }, person);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await upsert(contacts, { email: 'undone@a.example' }, person)).toMatchObject({ action: 'created' });
});

test('within one transaction the second upsert finds what the first created', async () => {
  const once = (db: UnitDb) => upsertAs(db, actor, accounts, { account_name: 'Twice' }, {});
  const [first, second] = await records.transaction(async (db) => [await once(db), await once(db)]);
  expect([first!.action, second!.action]).toEqual(['created', 'unchanged']);
  expect(second!.id).toBe(first!.id);
});

test('several matches are a conflict, and none of them changes', async () => {
  const fields = { account_name: 'Twin', domain: 'twin.example' };
  const twins = [await records.insert(accounts, fields), await records.insert(accounts, fields)];
  const message = `2 accounts match: ${twins.map(({ id }) => id).join(', ')}.`;
  const upserted = upsert(accounts, { domain: 'twin.example' }, { city: 'Bern' });
  await expect(upserted).rejects.toMatchObject({ code: 'ambiguous_match', message });
  expect(await matches(accounts, { domain: 'twin.example' })).toEqual(twins);
});

test("another organization's record is neither matched nor changed", async () => {
  const theirs = await records.insert(contacts, { ...person, email: 'both@a.example' }, records.otherOrgId);
  const ours = await upsert(contacts, { email: 'both@a.example' }, { ...person, title: 'Ours' });
  expect(ours.action).toBe('created');
  const notFound = { name: 'AppError', code: 'not_found' };
  await expect(upsert(contacts, { id: theirs.id }, { title: 'Ours' })).rejects.toMatchObject(notFound);
  expect(await findMatches(records.db.database, records.otherOrgId, contacts, { id: theirs.id }, 2)).toEqual([theirs]);
});

test('an id can be matched but not chosen', async () => {
  const { id } = await records.insert(accounts, { account_name: 'Known' });
  expect(await upsert(accounts, { id }, { city: 'Bern' })).toMatchObject({ id, city: 'Bern', action: 'updated' });
  await expect(upsert(accounts, { id: orgId }, { account_name: 'New' })).rejects.toMatchObject({ code: 'not_found' });
});

test('`set` is validated whether or not the record exists', async () => {
  await upsert(contacts, { email: 'there@a.example' }, person);
  const wrong = { first_name: null, nonsense: 1 };
  for (const email of ['there@a.example', 'absent@a.example'])
    await expect(upsert(contacts, { email }, wrong)).rejects.toMatchObject(
      invalid('first_name null_not_allowed', 'nonsense unknown_field'),
    );
  await expect(upsert(contacts, { email: 'absent@a.example' }, {})).rejects.toMatchObject(
    invalid('first_name required', 'last_name required'),
  );
  await expect(upsert(contacts, { email: 'no address' }, person)).rejects.toMatchObject(
    invalid('email invalid_format'),
  );
  await expect(upsert(contacts, {}, person)).rejects.toMatchObject(invalid('match required'));
});

test('recognizes an unchanged value of every type', async () => {
  const { id } = await records.insert(accounts, { account_name: 'Owner' });
  const stage = await records.insertStage('Sales');
  const set = {
    opportunity_name: 'Deal',
    account_id: id,
    amount: 99_999_999_999.9999,
    stage_id: stage,
    tags: ['b', 'a'],
  };
  const dated = { ...set, close_date: '2026-12-31T17:00:00.5+02:00', pipeline: null };
  const created = await upsert(opportunities, { crm_id: 'o-1' }, dated);
  expect(created).toMatchObject({ pipeline: 'Sales', action: 'created' });
  const same = { ...dated, account_id: id.toUpperCase(), close_date: '2026-12-31T15:00:00.500Z' };
  expect(await upsert(opportunities, { crm_id: 'o-1' }, same)).toEqual({ ...created, action: 'unchanged' });
  const turned = await upsert(opportunities, { crm_id: 'o-1' }, { tags: ['a', 'b'] });
  expect(turned).toMatchObject({ tags: ['a', 'b'], action: 'updated' });
});

test('the rules of opportunities apply to an upsert', async () => {
  const { id } = await records.insert(accounts, { account_name: 'Owner' });
  const [stage, renewals] = [await records.insertStage('Sales'), await records.insertStage('Renewals')];
  const theirs = await records.insert(accounts, { account_name: 'Theirs' }, records.otherOrgId);
  const deal = { opportunity_name: 'Deal', account_id: id, stage_id: stage };
  const match = { crm_id: 'o-2' };
  await expect(upsert(opportunities, match, { ...deal, account_id: theirs.id })).rejects.toMatchObject(
    invalid('account_id invalid_reference'),
  );
  await upsert(opportunities, match, deal);
  expect(await upsert(opportunities, match, { stage_id: renewals })).toMatchObject({ pipeline: 'Renewals' });
  await expect(upsert(opportunities, match, { pipeline: 'Sales' })).rejects.toMatchObject(
    invalid('pipeline invalid_reference'),
  );
});
