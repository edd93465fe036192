import { type Database, Executor, mapUnit, newId, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { findRecord } from '../record.sql.ts';
import { invalid, openTestRecords, type TestRecords } from '../records.harness.ts';
import { patchUnit } from './record-units.ts';

let records: TestRecords;
let executor: Executor;

beforeAll(async () => {
  records = await openTestRecords();
  executor = new Executor(records.db.database);
});
afterAll(() => records[Symbol.asyncDispose]());

const newAccount = (orgId?: string) => records.insert(accounts, { account_name: 'Acme', city: 'Bern' }, orgId);
const change = (id: string, patch: object, ifMatch?: readonly string[]) =>
  executor.run(
    mapUnit(patchUnit(records.actor, accounts, { id, patch: { ...patch }, ifMatch }), ({ record }) => record),
  );
const versionOf = ({ updated_at: at }: { updated_at: string | null }) => String(Date.parse(at!));

/** Opens an executor over a database that records the statements sent to it. */
function watched(): { executor: Executor; sent: string[] } {
  const { database } = records.db;
  const sent: string[] = [];
  const query: Database['query'] = (prepared, values) => {
    sent.push(prepared.name);
    return database.query(prepared, values);
  };
  return { executor: new Executor({ ...database, query }), sent };
}

test('waiting changes share statements, and each caller gets its own record', async () => {
  const { executor: together, sent } = watched();
  const made = await Promise.all(Array.from({ length: 60 }, () => newAccount()));
  const changed = await Promise.all(
    made.map(({ id }, i) => together.run(patchUnit(records.actor, accounts, { id, patch: { city: `City ${i}` } }))),
  );
  expect(changed.map(({ record }) => [record.id, record.city])).toEqual(made.map(({ id }, i) => [id, `City ${i}`]));
  expect(sent).toEqual(['accounts.change_unlocked']);
});

test('changes of one record that arrive together all apply, in their order (G1)', async () => {
  const { id } = await newAccount();
  const fields = ['domain', 'city', 'state', 'country', 'address'];
  const patches = [...fields.map((name) => ({ [name]: `new ${name}` })), { city: 'last' }];
  const all = await Promise.all(patches.map((patch) => change(id, patch)));
  expect(all.at(-1)).toMatchObject({ domain: 'new domain', state: 'new state', city: 'last' });
  expect(await findRecord(records.db.database, records.orgId, accounts, id)).toEqual(all.at(-1));
  expect(new Set(all.map((record) => record.updated_at)).size).toBe(patches.length);
});

test('a patch that changes nothing writes nothing and keeps the time of change', async () => {
  const made = await newAccount();
  for (const patch of [{}, { city: 'Bern' }, { city: 'Bern', tags: null }, { domain: null }])
    expect(await change(made.id, patch)).toEqual(made);
});

test('a record that another transaction has locked delays nobody else (G5)', async () => {
  const [locked, free] = [await newAccount(), await newAccount()];
  const lock = statement<never>('test.lock', 'SELECT id FROM accounts WHERE id = $1 FOR UPDATE');
  let waiting: Promise<unknown> | undefined;
  await records.transaction(async (db) => {
    await db.query(lock, [locked.id]);
    waiting = change(locked.id, { city: 'Late' });
    expect(await change(free.id, { city: 'Soon' })).toMatchObject({ city: 'Soon' });
  });
  expect(await waiting).toMatchObject({ city: 'Late' });
});

test('exactly one of several changes with the same expected version succeeds', async () => {
  const made = await newAccount();
  const all = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => change(made.id, { city: `City ${i}` }, [versionOf(made)])),
  );
  const refused = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  expect(refused).toHaveLength(29);
  const now = await findRecord(records.db.database, records.orgId, accounts, made.id);
  expect(refused[0]!.reason).toMatchObject({ code: 'precondition_failed', updatedAt: now!.updated_at });
  expect(await change(made.id, { city: 'Again' }, ['1', versionOf(now!)])).toMatchObject({ city: 'Again' });
});

test("another organization's record is not found, whatever version is expected", async () => {
  const theirs = await newAccount(records.otherOrgId);
  const notFound = { code: 'not_found' };
  await expect(change(theirs.id, { city: 'Mine' })).rejects.toMatchObject(notFound);
  await expect(change(theirs.id, { city: 'Mine' }, [versionOf(theirs)])).rejects.toMatchObject(notFound);
  await expect(change(newId(), {})).rejects.toMatchObject(notFound);
  expect(await findRecord(records.db.database, records.otherOrgId, accounts, theirs.id)).toEqual(theirs);
});

test('a patch with a missing reference is refused before its version is checked, and costs others no statement', async () => {
  const account = await newAccount();
  const deal = { opportunity_name: 'Deal', account_id: account.id };
  const [wrong, alsoWrong, right] = await Promise.all([1, 2, 3].map(() => records.insert(opportunities, deal)));
  const { executor: together, sent } = watched();
  const patch = { account_id: newId() };
  const [refused, alsoRefused, done] = await Promise.allSettled([
    together.run(patchUnit(records.actor, opportunities, { id: wrong!.id, patch, ifMatch: ['1'] })),
    together.run(patchUnit(records.actor, opportunities, { id: alsoWrong!.id, patch })),
    together.run(patchUnit(records.actor, opportunities, { id: right!.id, patch: { amount: 5 } })),
  ]);
  for (const each of [refused, alsoRefused])
    expect(each).toMatchObject({ reason: invalid('account_id invalid_reference') });
  expect(done).toMatchObject({ value: { action: 'updated', record: { amount: 5 } } });
  expect(sent).toEqual(['opportunities.change_unlocked']);
  expect(await findRecord(records.db.database, records.orgId, opportunities, wrong!.id)).toEqual(wrong);
});
