import { request } from 'node:http';
import { statement } from '@relata/db';
import { apiClient, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../records-api.harness.ts';

const lock = statement<never>('test.lock_account', 'SELECT FROM accounts WHERE id = $1 FOR UPDATE');
const waiting = statement<{ n: number }>(
  'test.waiting',
  `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
);

const countWaiting = async ({ db }: TestApi) => (await db.database.query(waiting, []))[0]!.n;

/** Creates accounts, and returns their ids. */
async function createAccounts({ tenant }: TestApi, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, at) => ({ account_name: `Account ${at}` }));
  const made = await tenant.client('POST', '/v1/records/accounts/batch', { body: { operation: 'create', items } });
  return made.body.data.map(({ data }: { data: { id: string } }) => data.id);
}

const path = '/v1/records/accounts/batch';
const toBern = (ids: readonly string[]) => ids.map((id) => ({ id, set: { city: 'Bern' } }));

/** Sends a batch over its own connection, so that its sender can leave. */
function sendBatch({ url, tenant }: TestApi, body: object, more: object = {}) {
  const headers = { 'X-Api-Key': tenant.key, 'Content-Type': 'application/json', ...more };
  const sent = request(url + path, { method: 'POST', headers });
  sent.on('error', () => {});
  sent.end(JSON.stringify(body));
  return sent;
}

/** Returns upserts of one account, each with a different city. */
const upsertsOf = (domain: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    match: { domain },
    set: { account_name: 'Account', city: `City ${at}` },
  }));

const cityOf = async ({ tenant }: TestApi, id: string) =>
  (await tenant.client('GET', `/v1/records/accounts/${id}`)).body.data.city as string | undefined;

/**
 * Locks an account and sends a batch that waits for it. Disconnects, and unlocks the account once the API has noticed.
 */
async function leaveWhileWaiting(api: TestApi, logLines: readonly string[], id: string, body: object): Promise<void> {
  await api.db.owner.transaction(async (other) => {
    await other.query(lock, [id]);
    const sent = sendBatch(api, body);
    await until(async () => expect(await countWaiting(api)).toBeGreaterThan(0));
    sent.destroy();
    await until(() => expect(logLines.some((line) => line.includes('"aborted":true'))).toBe(true));
  });
}

test('a batch begins no further items once its sender has left (found A7)', async () => {
  const logLines: string[] = [];
  await using api = await startTestApi({ logLines });
  const ids = await createAccounts(api, 300);
  await leaveWhileWaiting(api, logLines, ids[0]!, { operation: 'update', items: toBern(ids) });
  // The item that had already begun is still completed.
  await until(async () => expect(await cityOf(api, ids[0]!)).toBe('Bern'));
  expect([await cityOf(api, ids[150]!), await cityOf(api, ids[299]!)]).toEqual([undefined, undefined]);
});

test('a batch begins no further items of the same record once its sender has left (found A7)', async () => {
  const logLines: string[] = [];
  await using api = await startTestApi({ logLines });
  const body = { account_name: 'Known', domain: 'known.example' };
  const { id } = (await api.tenant.client('POST', '/v1/records/accounts', { body })).body.data;
  await leaveWhileWaiting(api, logLines, id, { operation: 'upsert', items: upsertsOf('known.example', 50) });
  await until(async () => expect(await cityOf(api, id)).toBe('City 0'));
  // This upsert waits for all items that had already begun.
  const after = { match: { domain: 'known.example' }, set: { state: 'BE' } };
  const { status } = await api.tenant.client('POST', '/v1/records/accounts/upsert', { body: after });
  expect([status, await cityOf(api, id)]).toEqual([200, 'City 0']);
});

test.each([
  ['without a name', {}],
  ['with an Idempotency-Key', { 'Idempotency-Key': 'left' }],
])(
  'an atomic batch %s is cancelled in PostgreSQL and rolled back once its sender has left (found A7)',
  async (_how, headers) => {
    await using api = await startTestApi();
    const ids = await createAccounts(api, 3);
    await api.db.owner.transaction(async (other) => {
      await other.query(lock, [ids[1]]);
      const sent = sendBatch(api, { operation: 'update', atomic: true, items: toBern(ids) }, headers);
      await until(async () => expect(await countWaiting(api)).toBe(1));
      sent.destroy();
      // The record that the batch waits for is still locked.
      await until(async () => expect(await countWaiting(api)).toBe(0), 20_000);
    });
    expect(await Promise.all(ids.map((id) => cityOf(api, id)))).toEqual([undefined, undefined, undefined]);
    // The connection and the idempotency key can be used again.
    const body = { operation: 'update', atomic: true, items: toBern(ids) };
    await until(async () => {
      const again = await api.tenant.client('POST', path, { body, headers });
      expect(again).toMatchObject({ status: 200, body: { succeeded: 3 } });
    });
  },
);

/**
 * Locks an account, sends a replica a batch that waits for it, and unlocks the account once the batch has taken too
 * long.
 */
async function tooLong(api: TestApi, replica: { url: string }, batchMs: number, id: string, body: object) {
  const { answering } = await api.db.owner.transaction(async (other) => {
    await other.query(lock, [id]);
    const answering = apiClient(replica.url, api.tenant.key)('POST', path, { body });
    await until(async () => expect(await countWaiting(api)).toBeGreaterThan(0));
    // By now the batch has begun.
    const begunAt = performance.now();
    await until(() => expect(performance.now() - begunAt).toBeGreaterThan(batchMs + 100));
    return { answering };
  });
  return await answering;
}

test('a batch that takes too long begins no more items; the remaining items get 503 and can be sent again (found A7)', async () => {
  const batchMs = 2_000;
  await using api = await startTestApi();
  await using brief = await api.startReplica({ batchMs });
  const ids = await createAccounts(api, 300);
  const body = { operation: 'update', items: toBern(ids) };
  const { status, body: done } = await tooLong(api, brief, batchMs, ids[0]!, body);
  expect(status).toBe(200);
  expect(done).toMatchObject({ succeeded: 100, failed: 200 });
  expect(done.data[299]).toMatchObject({ status: 503, error: { error: 'service_unavailable' } });
  expect(done.data[299].error.message).toBe(
    'The batch took longer than 2 s. This item was not started. Send it again.',
  );
  expect([await cityOf(api, ids[99]!), await cityOf(api, ids[100]!)]).toEqual(['Bern', undefined]);
});

const laterItems503 = { status: 200, body: { succeeded: 1, failed: 49, data: { 49: { status: 503 } } } };
const nothingDone = {
  status: 503,
  body: {
    message: 'The batch took longer than 1 s. Nothing was done. Send it again later, or send fewer items at once.',
  },
};

test.each([
  ['without a transaction, later items of the record get 503', false, laterItems503, 'City 0'],
  ['in one transaction, everything is rolled back', true, nothingDone, undefined],
])('a batch that takes too long with one record ends: %s (found A7)', async (_how, atomic, response, city) => {
  const batchMs = 1_000;
  await using api = await startTestApi();
  await using brief = await api.startReplica({ batchMs });
  const account = { account_name: 'Known', domain: 'known.example' };
  const { id } = (await api.tenant.client('POST', '/v1/records/accounts', { body: account })).body.data;
  const body = { operation: 'upsert', atomic, items: upsertsOf('known.example', 50) };
  expect(await tooLong(api, brief, batchMs, id, body)).toMatchObject(response);
  expect(await cityOf(api, id)).toBe(city);
});
