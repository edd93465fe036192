import { type Db, statement } from '@relata/db';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestBudgets } from './token-budget.harness.ts';

let budgets: Awaited<ReturnType<typeof openTestBudgets>>;
beforeAll(async () => void (budgets = await openTestBudgets()));
afterAll(() => budgets[Symbol.asyncDispose]());

const ip = '192.0.2.1';
const open = (daily: number) => budgets.open({ daily });
const usage = statement<{ tokens: string }>('', 'SELECT tokens FROM chat_usage WHERE org_id = $1');
const taken = async (orgId: string) => Number((await budgets.db.query(usage, [orgId]))[0]?.tokens);

test('two processes together give exactly as many answers as the daily tokens allow', async () => {
  const orgId = await budgets.organization();
  await using first = open(100_000);
  await using second = open(100_000);
  const asked = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? first : second).reserve({ orgId, ip }, 1_000));
  const given = (await Promise.all(asked)).filter((reservation) => reservation !== undefined);
  expect(given).toHaveLength(100);
});

test('processes that ask repeatedly give exactly as many answers as the daily tokens allow', async () => {
  const orgId = await budgets.organization();
  await using first = open(100_000);
  await using second = open(100_000);
  await using third = open(100_000);
  let given = 0;
  const asks = async (budget: typeof first) => {
    while (await budget.reserve({ orgId, ip }, 1_000)) given++;
  };
  await Promise.all([first, second, third].flatMap((budget) => [asks(budget), asks(budget), asks(budget)]));
  expect(given).toBe(100);
});

test('a process holds only the tokens of its open answers, so another process can use all others', async () => {
  const orgId = await budgets.organization();
  await using first = open(100_000);
  await using second = open(100_000);
  expect(await second.reserve({ orgId, ip }, 1_000)).toBeDefined();
  const asked = Array.from({ length: 100 }, () => first.reserve({ orgId, ip }, 1_000));
  expect((await Promise.all(asked)).filter((reservation) => reservation !== undefined)).toHaveLength(99);
  expect(await second.reserve({ orgId, ip }, 1_000)).toBeUndefined();
});

test('a thousand answers that begin at once wait for two statements rather than a thousand', async () => {
  const orgId = await budgets.organization();
  const db = budgets.counting();
  await using budget = budgets.open({ db, daily: 100_000_000 });
  const given = await Promise.all(Array.from({ length: 1_000 }, () => budget.reserve({ orgId, ip }, 3_000)));
  expect(given).not.toContain(undefined);
  expect(db.statements).toBeLessThanOrEqual(2);
});

test('an organization without tokens left costs no statement per question', async () => {
  const orgId = await budgets.organization();
  const db = budgets.counting();
  await using budget = budgets.open({ db, daily: 10_000 });
  await budget.reserve({ orgId, ip }, 10_000);
  for (let at = 0; at < 100; at++) expect(await budget.reserve({ orgId, ip }, 1)).toBeUndefined();
  expect(db.statements).toBeLessThan(10);
  expect(budgets.logLines.at(-1)).toContain('the daily tokens are used up');
});

test('tokens that were reserved but not used can be reserved again', async () => {
  const orgId = await budgets.organization();
  await using budget = open(10_000);
  const reservation = await budget.reserve({ orgId, ip }, 10_000);
  expect(await budget.reserve({ orgId, ip }, 1)).toBeUndefined();
  reservation!.settle(4_000);
  expect(await budget.reserve({ orgId, ip }, 6_000)).toBeDefined();
});

test('a process returns unspent tokens when it ends, and charges tokens used beyond a reservation', async () => {
  const orgId = await budgets.organization();
  const first = open(10_000);
  (await first.reserve({ orgId, ip }, 1_000))!.settle(5_000);
  await until(async () => expect(await taken(orgId)).toBeGreaterThanOrEqual(5_000));
  await first[Symbol.asyncDispose]();
  expect(await taken(orgId)).toBe(5_000);
  await using second = open(10_000);
  expect(await second.reserve({ orgId, ip }, 5_001)).toBeUndefined();
  expect(await second.reserve({ orgId, ip }, 5_000)).toBeDefined();
});

test('organizations do not share tokens', async () => {
  const [acme, globex] = [await budgets.organization(), await budgets.organization()];
  await using budget = open(1_000);
  expect(await budget.reserve({ orgId: acme, ip }, 1_000)).toBeDefined();
  expect(await budget.reserve({ orgId: globex, ip }, 1_000)).toBeDefined();
});

test('an organization that is no longer cached has its unspent tokens returned', async () => {
  const orgId = await budgets.organization();
  await using budget = budgets.open({ daily: 100_000, spendersMax: 1 });
  (await budget.reserve({ orgId, ip }, 1_000))!.settle(400);
  await budget.reserve({ orgId: await budgets.organization(), ip }, 1_000);
  await until(async () => expect(await taken(orgId)).toBe(400));
});

test('a database that hangs delays no visitor for long, and tokens granted too late are returned', async () => {
  const orgId = await budgets.organization();
  const hanging = Promise.withResolvers<void>();
  const db: Db = {
    query: (prepared, values) => hanging.promise.then(() => budgets.db.query(prepared, values)),
  };
  const budget = budgets.open({ db, daily: 100_000, dailyPerIp: 1_000 });
  expect(await budget.reserve({ orgId, ip }, 1_000, 50)).toBeUndefined();
  expect(budgets.logLines.at(-1)).toContain('could not be checked within 50 ms');
  hanging.resolve();
  await until(async () => expect(await taken(orgId)).toBeGreaterThan(0));
  expect(await budget.reserve({ orgId, ip }, 1_000)).toBeDefined();
  await budget[Symbol.asyncDispose]();
  expect(await taken(orgId)).toBe(1_000);
});

test('a budget that is disposed of returns the tokens that its last statements granted too late or refused', async () => {
  const orgId = await budgets.organization();
  const hanging = Promise.withResolvers<void>();
  const db: Db = {
    query: (prepared, values) => hanging.promise.then(() => budgets.db.query(prepared, values)),
  };
  const budget = budgets.open({ db, daily: 1_500, dailyPerIp: null });
  const reserve = () => budget.reserve({ orgId, ip }, 1_000, 50);
  expect(await reserve()).toBeUndefined();
  // Both reservations wait for the statement of the first.
  expect(await Promise.all([reserve(), reserve()])).toEqual([undefined, undefined]);
  const ended = budget[Symbol.asyncDispose]();
  hanging.resolve();
  await ended;
  expect(await taken(orgId)).toBe(0);
});
