import { createHash } from 'node:crypto';
import { createOrganization } from '@relata/auth';
import { type Db, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClientBudget, type ClientBudgetOptions } from './client-budget.ts';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase[Symbol.asyncDispose]());

const db = () => testDatabase.database;
const onError = (error: unknown) => {
  throw error;
};
const open = (daily: number, options: Partial<ClientBudgetOptions> = {}) =>
  new ClientBudget({ db: db(), daily, secret: 'sk-secret', onError, ...options });
const organization = async () => (await createOrganization(db(), 'Acme')).id;
const ip = '192.0.2.1';

async function spend(budget: ClientBudget, orgId: string, from: string, tokens: number): Promise<boolean> {
  const reservation = await budget.reserve(orgId, from, tokens, 10_000);
  reservation?.settle(tokens);
  return reservation !== undefined;
}

const rows = statement<{ day: string; client: Buffer; tokens: number }>(
  '',
  'SELECT day::text, client, tokens FROM chat_client_usage WHERE org_id = $1',
);

test('a client may use its share and no more; other clients and organizations are not affected', async () => {
  const [acme, globex] = [await organization(), await organization()];
  await using budget = open(1_000);
  expect(await spend(budget, acme, ip, 999)).toBe(true);
  expect(await spend(budget, acme, ip, 5_000)).toBe(true);
  expect(await spend(budget, acme, ip, 1)).toBe(false);
  expect(await spend(budget, acme, '192.0.2.2', 1)).toBe(true);
  expect(await spend(budget, globex, ip, 1)).toBe(true);
});

test('tokens reserved by open answers count; what they did not use is free again', async () => {
  const orgId = await organization();
  await using budget = open(1_000);
  const first = await budget.reserve(orgId, ip, 1_000, 10_000);
  expect(await budget.reserve(orgId, ip, 1, 10_000)).toBeUndefined();
  first!.settle(200);
  expect(await budget.reserve(orgId, ip, 1, 10_000)).toBeDefined();
});

test('the networks of one IPv6 site have four times as much together, and each no more than its own', async () => {
  const orgId = await organization();
  await using budget = open(1_000);
  const answers = [];
  for (const network of [1, 1, 2, 3, 4, 5])
    answers.push(await spend(budget, orgId, `2001:db8:0:ab0${network}::/64`, 1_000));
  expect(answers).toEqual([true, false, true, true, true, false]);
  expect(await spend(budget, orgId, '2001:db8:0:ac01::/64', 1)).toBe(true);
});

test('two processes soon know what a client used at both', async () => {
  const orgId = await organization();
  await using first = open(1_000);
  await using second = open(1_000);
  expect(await spend(first, orgId, ip, 600)).toBe(true);
  expect(await spend(second, orgId, ip, 600)).toBe(true);
  await until(async () => {
    expect(await spend(first, orgId, ip, 1)).toBe(false);
    expect(await spend(second, orgId, ip, 1)).toBe(false);
  });
});

test('a process looks up what a client has used before its first answer', async () => {
  const orgId = await organization();
  const first = open(1_000);
  await spend(first, orgId, ip, 1_000);
  await first[Symbol.asyncDispose]();
  await using second = open(1_000);
  expect(await spend(second, orgId, ip, 1)).toBe(false);
});

test('a client that is no longer cached is looked up again', async () => {
  const orgId = await organization();
  await using budget = open(1_000, { clientsMax: 2 });
  await spend(budget, orgId, ip, 1_000);
  for (let at = 2; at < 6; at++) await spend(budget, orgId, `192.0.2.${at}`, 1);
  expect(await spend(budget, orgId, ip, 1)).toBe(false);
});

test('a thousand clients that ask at once wait for two statements, not for one each', async () => {
  const orgId = await organization();
  let statements = 0;
  const counting: Db = {
    query: (prepared, values) => {
      statements += Number(prepared.name === 'chat_client_usage.add');
      return db().query(prepared, values);
    },
  };
  const budget = open(1_000, { db: counting });
  const asked = Array.from({ length: 1_000 }, (_, at) => spend(budget, orgId, `198.51.${at >> 8}.${at & 255}`, 7));
  expect(await Promise.all(asked)).not.toContain(false);
  expect(statements).toBeLessThanOrEqual(2);
  await budget[Symbol.asyncDispose]();
  const stored = await db().query(rows, [orgId]);
  expect(stored.filter(({ tokens }) => tokens === 7)).toHaveLength(1_000);
});

test('no address is stored: only a hash that nobody can make without the secret, and none of an earlier day', async () => {
  const orgId = await organization();
  const insert = `INSERT INTO chat_client_usage SELECT $1, current_date - days, decode(lpad(days::text, 32, '0'), 'hex'), 7
    FROM generate_series(1, 3) AS days`;
  await db().query(statement('', insert), [orgId]);
  await using budget = open(1_000);
  await using other = open(1_000, { secret: 'sk-other' });
  expect([await spend(budget, orgId, ip, 1), await spend(other, orgId, ip, 1)]).toEqual([true, true]);
  const today = new Date().toISOString().slice(0, 10);
  await until(async () => expect((await db().query(rows, [orgId])).map(({ day }) => day)).toEqual([today, today]));
  const [first, second] = (await db().query(rows, [orgId])).map(({ client }) => client);
  expect(first).not.toEqual(second);
  for (const text of [ip, `${today} ${orgId} ${ip}`]) {
    const hash = createHash('sha256').update(text).digest().subarray(0, 16);
    expect([first, second]).not.toContainEqual(hash);
  }
});

test('a database that hangs delays nobody, and clients are looked up once it is back', async () => {
  const orgId = await organization();
  const hanging = Promise.withResolvers<void>();
  const slow: Db = { query: (prepared, values) => hanging.promise.then(() => db().query(prepared, values)) };
  await using budget = open(1_000, { db: slow });
  await expect(budget.reserve(orgId, ip, 1, 50)).rejects.toThrow(/50 ms/);
  hanging.resolve();
  expect(await spend(budget, orgId, ip, 1)).toBe(true);
});

test('usage that could not be written is written later, and counts meanwhile', async () => {
  const orgId = await organization();
  let isAway = false;
  const errors: unknown[] = [];
  const failing: Db = {
    query: (prepared, values) => (isAway ? Promise.reject(new Error('away')) : db().query(prepared, values)),
  };
  const budget = open(1_000, { db: failing, onError: (error) => errors.push(error) });
  await spend(budget, orgId, ip, 400);
  await until(async () => expect((await db().query(rows, [orgId])).map(({ tokens }) => tokens)).toEqual([400]));
  isAway = true;
  expect(await spend(budget, orgId, ip, 600)).toBe(true);
  await until(() => expect(errors).toMatchObject([{ message: 'away' }]));
  expect(await spend(budget, orgId, ip, 1)).toBe(false);
  await expect(spend(budget, orgId, '192.0.2.2', 1)).rejects.toThrow('away');
  isAway = false;
  await budget[Symbol.asyncDispose]();
  expect((await db().query(rows, [orgId])).map(({ tokens }) => tokens)).toEqual([1_000]);
});
