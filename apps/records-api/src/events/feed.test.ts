import { createApiKey, createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { apiClient, type ApiClient, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';
import { openEventStream } from './event-stream.harness.ts';

let api: TestApi;
const accounts = '/v1/records/accounts';

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

interface Event {
  id: string;
  type: string;
  request_id: string;
  record_id: string;
  actor: object;
  changed?: string[];
  previous?: object;
  record: Record<string, unknown>;
}

const send = (name: string, method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.tenant.client(method, path, { body, headers: { 'X-Request-Id': name, ...headers } });
const read = async (query: string, client: ApiClient = api.tenant.client) =>
  (await client('GET', `/v1/events?${query}`)).body as { data: Event[]; next_cursor: string; has_more: boolean };
const latest = async () => (await read('after=latest')).next_cursor;

/** Creates an organization without events. */
async function newOrganization() {
  const { id: orgId } = await createOrganization(api.db.database, 'Followed');
  const scopes = ['records:read', 'records:write', 'events:read'] as const;
  const { key } = await createApiKey(api.db.database, orgId, { name: 'all', kind: 'secret', scopes });
  const client = apiClient(api.url, key);
  const post = async (name: string) => (await client('POST', accounts, { body: { account_name: name } })).body.data.id;
  return { orgId, key, client, post };
}

test('B3.1: each way to write creates exactly its events, and a write without effect creates none', async () => {
  const after = await latest();
  const { id } = (await send('post', 'POST', accounts, { account_name: 'Acme', city: 'Bern' })).body.data;
  const path = `${accounts}/${id}`;
  await send('patch', 'PATCH', path, { city: 'Basel', domain: 'each.example' });
  await send('upsert', 'POST', `${accounts}/upsert`, { match: { id }, set: { city: null } });
  const absent = { match: { domain: 'absent.example' }, set: { account_name: 'New' } };
  const other = (await send('upsert-new', 'POST', `${accounts}/upsert`, absent)).body.data.id;
  const items = [
    { id, set: { tags: ['x'] } },
    { id, set: {} },
    { id: other, set: { city: 'Chur' } },
    { id: 'nope', set: {} },
  ];
  await send('batch', 'POST', `${accounts}/batch`, { operation: 'update', items });
  const two = [{ account_name: 'B1' }, {}, { account_name: 'B2' }];
  await send('batch-new', 'POST', `${accounts}/batch`, { operation: 'create', items: two });
  await send('activity', 'POST', '/v1/activities/custom', { content: 'Called.' });
  await send('nothing', 'PATCH', path, { domain: 'each.example' });
  await send('nothing', 'POST', `${accounts}/upsert`, { match: { id }, set: { tags: ['x'] } });
  await send('tried', 'PATCH', `${path}?dry_run=true`, { city: 'Zug' });
  await send('refused', 'POST', accounts, {});
  await send('refused', 'PATCH', path, { city: 'Zug' }, { 'If-Match': '"other"' });
  await send('refused', 'POST', `${accounts}/batch`, { operation: 'create', atomic: true, items: two });
  const { data } = await read(`after=${after}`);
  const shown = data.map(({ request_id: by, type, changed, previous }) =>
    JSON.stringify([by, type, changed, previous]),
  );
  const expected = [
    ['post', 'account.created', null, null],
    ['patch', 'account.updated', ['domain', 'city'], { city: 'Bern' }],
    ['upsert', 'account.updated', ['city'], { city: 'Basel' }],
    ['upsert-new', 'account.created', null, null],
    ['batch', 'account.updated', ['tags'], { tags: [] }],
    ['batch', 'account.updated', ['city'], {}],
    ['batch-new', 'account.created', null, null],
    ['batch-new', 'account.created', null, null],
    ['activity', 'activity.created', null, null],
  ];
  expect(shown.toSorted()).toEqual(expected.map((event) => JSON.stringify(event)).toSorted());
  for (const { actor } of data) expect(actor).toMatchObject({ type: 'api_key', id: api.tenant.keyId });
  const ofOne = data.filter(({ record_id: recordId }) => recordId === id);
  const [first, ...changes] = ofOne;
  expect(changes.map(beforeOf)).toEqual([first!, ...changes.slice(0, -1)].map(({ record }) => timeless(record)));
  expect(changes.at(-1)!.record).toEqual((await api.tenant.client('GET', path)).body.data);
});

/** Returns the record as it was before the change, without `updated_at`. */
function beforeOf({ record, changed, previous }: Event) {
  const kept = Object.entries(record).filter(([name]) => !changed!.includes(name));
  return timeless({ ...Object.fromEntries(kept), ...previous });
}

const timeless = ({ updated_at: _, ...record }: Record<string, unknown>) => record;

test('B3.3: an answered write is in its history at once, and in the feed within a second, while others write', async () => {
  const after = await latest();
  const writeAndLook = async (name: string) => {
    const { id } = (await send(name, 'POST', accounts, { account_name: 'Seen' })).body.data;
    expect((await api.tenant.client('GET', `${accounts}/${id}/history`)).body.data).toHaveLength(1);
    const { data } = await read(`after=${after}&wait=1&request_id=${name}`);
    expect(data.map(({ record_id: recordId }) => recordId)).toEqual([id]);
  };
  const look = (_: unknown, i: number) => {
    let tries = 0;
    // A machine may stall for a second, but a slow feed is slow in every attempt.
    return until(() => writeAndLook(`looked-for-${i}-${tries++}`));
  };
  await Promise.all(Array.from({ length: 20 }, look));
});

test('B3.3: a waiting reader and a stream get a write within a second of its answer', async () => {
  const { key, client, post } = await newOrganization();
  await using stream = await openEventStream(api.url, { key });
  const tookMs = async () => {
    const { next_cursor: after } = await read('after=latest', client);
    const waiting = read(`after=${after}&wait=30`, client);
    const known = stream.parser.events.length;
    await post('Awaited');
    const answeredAt = performance.now();
    await Promise.all([waiting, stream.received(known + 1)]);
    return performance.now() - answeredAt;
  };
  // The best of three attempts counts: a machine may stall for a second, but a slow reader is slow in every attempt.
  expect(Math.min(await tookMs(), await tookMs(), await tookMs())).toBeLessThan(1_000);
});

/** Creates more changes by the system than the feed can examine for one response. */
const writeMany = statement<never>(
  'test.write_many',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor)
   SELECT $1, gen_random_uuid(), next_event($1), 'account.updated', $2, '{"type":"system"}' FROM generate_series(1, $3)`,
);

test('B3.5: a reader whose filter matches none of fifty thousand events advances with each answer, up to the next match', async () => {
  const { orgId, client, post } = await newOrganization();
  const matching = await post('First');
  await api.db.database.query(writeMany, [orgId, matching, 50_000]);
  const last = await post('Last');
  const cursors = ['start'];
  const seen: string[] = [];
  for (let hasMore = true; hasMore && cursors.length < 10;) {
    const page = await read(`type=account.created&wait=30&after=${cursors.at(-1)}`, client);
    hasMore = page.has_more;
    cursors.push(page.next_cursor);
    seen.push(...page.data.map(({ record_id: id }) => id));
  }
  expect(seen).toEqual([matching, last]);
  expect(new Set(cursors).size).toBe(cursors.length);
  const nothing: string[] = [];
  for (let [after, hasMore] = ['start', true]; hasMore && nothing.length < 10;) {
    const page = await read(`type=contact.*&after=${after}`, client);
    expect(page.data).toEqual([]);
    [after, hasMore] = [page.next_cursor, page.has_more];
    nothing.push(after);
  }
  expect(new Set(nothing).size).toBe(nothing.length);
  expect(nothing.at(-1)).toBe((await read('after=latest', client)).next_cursor);
});

const forget = statement<never>('test.forget_events', 'DELETE FROM events WHERE org_id = $1 AND id = ANY ($2)');

test("B3.6: an expired cursor is answered with 410 and the oldest cursor; nonsense and another organization's with 400", async () => {
  const { orgId, key, client, post } = await newOrganization();
  for (const name of ['One', 'Two', 'Three', 'Four']) await post(name);
  const ids = (await read('', client)).data.map(({ id }) => id);
  await api.db.owner.query(forget, [orgId, ids.slice(0, 2)]);
  for (const old of ids.slice(0, 2)) {
    const expired = await client('GET', `/v1/events?after=${old}`);
    expect(expired).toMatchObject({ status: 410, error: { error: 'cursor_expired' } });
    const { data } = await read(`after=${expired.body.oldest_cursor}`, client);
    expect(data.map(({ id }) => id)).toEqual(ids.slice(2));
  }
  await send('theirs', 'POST', accounts, { account_name: 'Theirs' });
  const theirs = await latest();
  for (const after of [theirs, 'nonsense', 'START', orgId.replace(/^./, 'f'), "' OR 1=1 --"]) {
    const { status, error } = await client('GET', `/v1/events?after=${encodeURIComponent(after)}`);
    expect([after, status, error.details?.[0]?.code]).toEqual([after, 400, 'invalid_cursor']);
  }
  const streams = await Promise.all(
    [ids[0]!, theirs].map((lastEventId) => openEventStream(api.url, { key, lastEventId })),
  );
  expect(streams.map(({ status }) => status)).toEqual([410, 400]);
});
