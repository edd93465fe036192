import { createApiKey, createOrganization } from '@relata/auth';
import { openDatabase } from '@relata/db';
import { type ApiClient, apiClient, startOwnPostgres, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openReplica } from './records-api.harness.ts';

const stack = new AsyncDisposableStack();
let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;

beforeAll(async () => void (postgres = await startOwnPostgres(stack)));
afterAll(() => stack.disposeAsync());

const accounts = '/v1/records/accounts';
const contacts = '/v1/records/contacts';

/** Starts a replica on the test's PostgreSQL, with a new organization. */
async function openApi() {
  await using database = openDatabase({ url: postgres.url, name: 'test' });
  const { id } = await createOrganization(database, 'Acme');
  const scopes = ['records:read', 'records:write'] as const;
  const { key } = await createApiKey(database, id, { name: 'test', kind: 'secret', scopes });
  const replica = await openReplica(postgres.url, {});
  return { client: apiClient(replica.url, key), [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose]() };
}

test('answers 503 with Retry-After while PostgreSQL is unavailable, and serves again as soon as it is back', async () => {
  await using api = await openApi();
  const { client } = api;
  const body = { account_name: 'A' };
  expect((await client('POST', accounts, { body })).status).toBe(201);

  await postgres.stop();
  for (const response of [await client('GET', accounts), await client('POST', accounts, { body })]) {
    const error = { error: 'service_unavailable', doc_url: '/docs/errors#service_unavailable' };
    expect(response).toMatchObject({ status: 503, error });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/i);
  }
  expect((await client('GET', '/health/ready')).status).toBe(503);
  expect((await client('GET', '/health/live')).status).toBe(200);

  await postgres.start();
  await until(async () => expect((await client('GET', accounts)).body.total).toBe(1));
  expect((await client('GET', '/health/ready')).status).toBe(200);
});

interface Named {
  name: string;
  path: string;
  body: object;
}

interface Clients {
  client: ApiClient;
  /** Number of concurrent clients. Each sends one request after another. */
  count: number;
  /**
   * Functions that stop PostgreSQL, each with the number of answered requests after which it is called. PostgreSQL
   * starts again once a request has been refused.
   */
  after: Record<number, () => Promise<unknown>>;
}

/** Sends each request with its idempotency key until it succeeds. Returns the number of error responses. */
async function sendEach(requests: readonly Named[], { client, count, after }: Clients): Promise<number> {
  const left = [...requests];
  let [answered, refused] = [0, 0];
  let down: Promise<unknown> = Promise.resolve();
  let started: Promise<unknown> = down;
  const restart = async () => {
    const before = refused;
    await until(() => Promise.resolve(expect(refused).toBeGreaterThan(before)));
    await postgres.start();
  };
  const sendUntilAnswered = ({ name, path, body }: Named) =>
    until(async () => {
      await down;
      const response = await client('POST', path, { body, headers: { 'Idempotency-Key': name } });
      if (response.status >= 400) refused++;
      expect(response.status, response.text).toBeLessThan(300);
    });
  const sendSome = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      await sendUntilAnswered(next);
      const stop = after[++answered];
      if (!stop) continue;
      down = started.then(stop);
      started = down.then(restart);
    }
  };
  await Promise.all(Array.from({ length: count }, sendSome));
  await started;
  return refused;
}

async function valuesOf(client: ApiClient, path: string, field: string): Promise<string[]> {
  const values: string[] = [];
  for (let total = 1; values.length < total;) {
    const { body } = await client('GET', `${path}?limit=100&offset=${values.length}`);
    values.push(...body.data.map((record: Record<string, string>) => record[field]));
    total = body.total;
  }
  return values;
}

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix} ${i}`);

test('B1.6, B6.4: a thousand creates and some batches, repeated with their idempotency keys while PostgreSQL is killed, create each record once', async () => {
  await using api = await openApi();
  const single = many(1_000, 'single').map((name): Named => ({
    name: name.replace(' ', '-'),
    path: accounts,
    body: { account_name: name },
  }));
  const batches = many(10, 'batch').map((name): Named => {
    const items = many(60, name).map((account_name) => ({ account_name }));
    return { name: name.replace(' ', '-'), path: `${accounts}/batch`, body: { operation: 'create', items } };
  });
  const requests = single.flatMap((one, i) => (i % 100 === 50 ? [one, batches[(i - 50) / 100]!] : [one]));
  const refused = await sendEach(requests, {
    ...api,
    count: 32,
    after: { 150: postgres.kill, 450: postgres.kill, 750: postgres.kill },
  });
  expect(refused).toBeGreaterThan(0);
  const made = await valuesOf(api.client, accounts, 'account_name');
  const expected = [...many(1_000, 'single'), ...many(10, 'batch').flatMap((name) => many(60, name))];
  expect(made.toSorted()).toEqual(expected.toSorted());
});

test('B2.5: forty upserts of new values, repeated with idempotency keys while PostgreSQL restarts, create forty records', async () => {
  await using api = await openApi();
  const emails = Array.from({ length: 40 }, (_, i) => `person-${i}@a.example`);
  const requests = emails.map((email): Named => {
    const body = { match: { email }, set: { first_name: 'Ada', last_name: 'L' } };
    return { name: email, path: `${contacts}/upsert`, body };
  });
  const refused = await sendEach(requests, { ...api, count: 8, after: { 10: postgres.stop } });
  expect(refused).toBeGreaterThan(0);
  expect((await valuesOf(api.client, contacts, 'email')).toSorted()).toEqual(emails.toSorted());
});
