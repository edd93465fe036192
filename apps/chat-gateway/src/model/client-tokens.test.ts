import { createHash } from 'node:crypto';
import { type Db, statement } from '@relata/db';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestBudgets } from './token-budget.harness.ts';
import type { TokenBudget, TokenBudgetOptions } from './token-budget.ts';

let budgets: Awaited<ReturnType<typeof openTestBudgets>>;
beforeAll(async () => void (budgets = await openTestBudgets()));
afterAll(() => budgets[Symbol.asyncDispose]());

const ip = '192.0.2.1';
const open = (dailyPerIp: number, options: Partial<TokenBudgetOptions> = {}) =>
  budgets.open({ dailyPerIp, ...options });

async function spend(budget: TokenBudget, orgId: string, from: string, tokens: number): Promise<boolean> {
  const reservation = await budget.reserve({ orgId, ip: from }, tokens);
  reservation?.settle(tokens);
  return reservation !== undefined;
}

const rows = statement<{ day: string; client: Buffer; tokens: number }>(
  '',
  'SELECT day::text, client, tokens FROM chat_client_usage WHERE org_id = $1',
);
const stored = (orgId: string) => budgets.db.query(rows, [orgId]);

test('a client can use its share and no more, without affecting other clients and organizations', async () => {
  const [acme, globex] = [await budgets.organization(), await budgets.organization()];
  await using budget = open(1_000);
  expect(await spend(budget, acme, ip, 999)).toBe(true);
  expect(await spend(budget, acme, ip, 5_000)).toBe(true);
  expect(await spend(budget, acme, ip, 1)).toBe(false);
  expect(budgets.logLines.at(-1)).toContain('the daily tokens of one client are used up');
  expect(await spend(budget, acme, '192.0.2.2', 1)).toBe(true);
  expect(await spend(budget, globex, ip, 1)).toBe(true);
});

test('a refused client takes no tokens from its organization', async () => {
  const orgId = await budgets.organization();
  await using budget = open(1_000, { daily: 2_000 });
  expect(await spend(budget, orgId, ip, 1_000)).toBe(true);
  for (let at = 0; at < 5; at++) expect(await spend(budget, orgId, ip, 500)).toBe(false);
  expect(await spend(budget, orgId, '192.0.2.2', 1_000)).toBe(true);
});

test('tokens reserved by open answers count, and unused tokens are available again', async () => {
  const orgId = await budgets.organization();
  await using budget = open(1_000);
  const first = await budget.reserve({ orgId, ip }, 1_000);
  expect(await budget.reserve({ orgId, ip }, 1)).toBeUndefined();
  first!.settle(200);
  expect(await budget.reserve({ orgId, ip }, 1)).toBeDefined();
});

test('the networks of one IPv6 site together have four times the tokens of one network, and each has only its own share', async () => {
  const orgId = await budgets.organization();
  await using budget = open(1_000);
  const answers = [];
  for (const network of [1, 1, 2, 3, 4, 5])
    answers.push(await spend(budget, orgId, `2001:db8:0:ab0${network}::/64`, 1_000));
  expect(answers).toEqual([true, false, true, true, true, false]);
  expect(await spend(budget, orgId, '2001:db8:0:ac01::/64', 1)).toBe(true);
});

test('each of two processes soon knows the tokens that a client used or returned at the other', async () => {
  const orgId = await budgets.organization();
  await using first = open(1_000);
  await using second = open(1_000);
  (await first.reserve({ orgId, ip }, 1_000))!.settle(400);
  await until(async () => expect(await spend(second, orgId, ip, 600)).toBe(true));
  await until(async () => {
    expect(await spend(first, orgId, ip, 1)).toBe(false);
    expect(await spend(second, orgId, ip, 1)).toBe(false);
  });
});

test("a process looks up a client's usage before its first answer", async () => {
  const orgId = await budgets.organization();
  const first = open(1_000);
  await spend(first, orgId, ip, 1_000);
  await first[Symbol.asyncDispose]();
  await using second = open(1_000);
  expect(await spend(second, orgId, ip, 1)).toBe(false);
});

test('a thousand clients that ask at once wait for two statements rather than a thousand', async () => {
  const orgId = await budgets.organization();
  const db = budgets.counting();
  const budget = open(1_000, { db, daily: 1_000_000 });
  const asked = Array.from({ length: 1_000 }, (_, at) => spend(budget, orgId, `198.51.${at >> 8}.${at & 255}`, 7));
  expect(await Promise.all(asked)).not.toContain(false);
  expect(db.statements).toBeLessThanOrEqual(2);
  await budget[Symbol.asyncDispose]();
  expect((await stored(orgId)).filter(({ tokens }) => tokens === 7)).toHaveLength(1_000);
});

test('only a hash of the address is stored, which cannot be computed without the secret, and no hash of an earlier day', async () => {
  const orgId = await budgets.organization();
  const insert = `INSERT INTO chat_client_usage SELECT $1, current_date - days, decode(lpad(days::text, 32, '0'), 'hex'), 7
    FROM generate_series(1, 3) AS days`;
  await budgets.db.query(statement('', insert), [orgId]);
  await using budget = open(1_000);
  await using other = open(1_000, { secret: 'sk-other' });
  expect([await spend(budget, orgId, ip, 1), await spend(other, orgId, ip, 1)]).toEqual([true, true]);
  const today = new Date().toISOString().slice(0, 10);
  await until(async () => expect((await stored(orgId)).map(({ day }) => day)).toEqual([today, today]));
  const [first, second] = (await stored(orgId)).map(({ client }) => client);
  expect(first).not.toEqual(second);
  for (const text of [ip, `${today} ${orgId} ${ip}`]) {
    const hash = createHash('sha256').update(text).digest().subarray(0, 16);
    expect([first, second]).not.toContainEqual(hash);
  }
});

test('usage that could not be written is written later', async () => {
  const orgId = await budgets.organization();
  let isAway = false;
  const failing: Db = {
    query: (prepared, values) => (isAway ? Promise.reject(new Error('away')) : budgets.db.query(prepared, values)),
  };
  const budget = open(1_000, { db: failing });
  const reservation = await budget.reserve({ orgId, ip }, 400);
  isAway = true;
  reservation!.settle(900);
  expect(await spend(budget, orgId, ip, 1)).toBe(false);
  expect(budgets.logLines.some((line) => line.includes('writing used tokens failed'))).toBe(true);
  isAway = false;
  expect(await spend(budget, orgId, ip, 100)).toBe(true);
  await budget[Symbol.asyncDispose]();
  expect((await stored(orgId)).map(({ tokens }) => tokens)).toEqual([1_000]);
});
