import { createOrganization } from '@relata/auth';
import { type Db, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TokenBudget } from './token-budget.ts';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase[Symbol.asyncDispose]());

const onError = (error: unknown) => {
  throw error;
};
const open = (daily: number) => new TokenBudget({ db: testDatabase.database, daily, onError });
const usage = statement<{ tokens: string }>('', 'SELECT tokens FROM chat_usage WHERE org_id = $1');
const taken = async (orgId: string) => Number((await testDatabase.database.query(usage, [orgId]))[0]?.tokens);
const organization = async () => (await createOrganization(testDatabase.database, 'Acme')).id;

test('two processes together give exactly as many answers as the daily tokens allow', async () => {
  const orgId = await organization();
  await using first = open(100_000);
  await using second = open(100_000);
  const asked = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? first : second).reserve(orgId, 1_000));
  const given = (await Promise.all(asked)).filter((reservation) => reservation !== undefined);
  expect(given).toHaveLength(100);
});

test('a thousand answers that begin at once wait for two statements, not for one each', async () => {
  const orgId = await organization();
  let statements = 0;
  const db: Db = {
    query: (prepared, values) => {
      statements++;
      return testDatabase.database.query(prepared, values);
    },
  };
  await using budget = new TokenBudget({ db, daily: 100_000_000, onError });
  const given = await Promise.all(Array.from({ length: 1_000 }, () => budget.reserve(orgId, 3_000)));
  expect(given).not.toContain(undefined);
  expect(statements).toBeLessThanOrEqual(2);
});

test('reserved tokens that were not used can be spent by others', async () => {
  const orgId = await organization();
  await using budget = open(10_000);
  const reservation = await budget.reserve(orgId, 10_000);
  expect(await budget.reserve(orgId, 1)).toBeUndefined();
  reservation!.settle(4_000);
  expect(await budget.reserve(orgId, 6_000)).toBeDefined();
});

test('a process returns unspent tokens when it ends, and charges what it overspent', async () => {
  const orgId = await organization();
  const first = open(10_000);
  (await first.reserve(orgId, 1_000))!.settle(5_000);
  await until(async () => expect(await taken(orgId)).toBeGreaterThanOrEqual(5_000));
  await first[Symbol.asyncDispose]();
  expect(await taken(orgId)).toBe(5_000);
  await using second = open(10_000);
  expect(await second.reserve(orgId, 5_001)).toBeUndefined();
  expect(await second.reserve(orgId, 5_000)).toBeDefined();
});

test('organizations do not share tokens', async () => {
  const [acme, globex] = [await organization(), await organization()];
  await using budget = open(1_000);
  expect(await budget.reserve(acme, 1_000)).toBeDefined();
  expect(await budget.reserve(globex, 1_000)).toBeDefined();
});

test('a database that hangs delays nobody, and tokens that it grants too late are returned', async () => {
  const orgId = await organization();
  const hanging = Promise.withResolvers<void>();
  const db: Db = {
    query: (prepared, values) => hanging.promise.then(() => testDatabase.database.query(prepared, values)),
  };
  const budget = new TokenBudget({ db, daily: 100_000, onError });
  await expect(budget.reserve(orgId, 1_000, 50)).rejects.toThrow(/50 ms/);
  hanging.resolve();
  await until(async () => expect(await taken(orgId)).toBeGreaterThan(0));
  await budget[Symbol.asyncDispose]();
  expect(await taken(orgId)).toBe(0);
});
