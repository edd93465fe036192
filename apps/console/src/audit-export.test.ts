import { newId, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs, newEmail, newOrganization } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';

let served: TestConsole;
let orgId: string;
let admin: Browser;
beforeAll(async () => {
  served = await startTestConsole();
  ({ orgId, admin } = await newOrganization(served.url, served.db));
});
afterAll(() => served[Symbol.asyncDispose]());

const hostile = '=HYPERLINK("https://evil.example";"Ada")';

/** Inserts events with one second between them. Every 1,000th has a hostile author name. */
async function insertEvents(org: string, count: number, newest: string): Promise<void> {
  await served.db.owner.query(insert, [org, count, newest, hostile]);
}

const insert = statement(
  'test.insert_events',
  `INSERT INTO events (org_id, id, seq, created_at, type, record_id, actor, record)
   SELECT $1, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008' || lpad(n::text, 15, '0'))::uuid,
     nextval('event_seq'), at, 'contact.created', $1::uuid,
     json_build_object('type', 'user', 'id', 'u', 'name', CASE WHEN n % 1000 = 0 THEN $4 ELSE 'Ada' END),
     json_build_object('email', n || '@acme.example')
   FROM (SELECT n, $3::timestamptz - make_interval(secs => n) AS at FROM generate_series($2::integer, 1, -1) n) made`,
);

const get = (path: string, as = admin) => as.get(`/orgs/${orgId}/audit${path}`);
/** Downloads a whole file, without a timeout. */
async function download(path: string): Promise<string> {
  const headers = { cookie: admin.cookie!, 'Sec-Fetch-Site': 'same-origin' };
  return (await fetch(`${served.url}/console/api/orgs/${orgId}/audit/export${path}`, { headers })).text();
}

const day = 'created_at[gte]=2026-03-03T00:00:00Z&created_at[lt]=2026-03-04T00:00:00Z';

test('the events of a time span are found without reading newer ones, and no older ones follow (found B18)', async () => {
  await insertEvents(orgId, 10, '2026-03-03T12:00:00Z');
  await insertEvents(orgId, 30_000, '2026-03-20T12:00:00Z');
  const { body } = await get(`?${day}`);
  expect(body.data).toHaveLength(10);
  expect(body.has_more).toBe(false);
  expect(body.data[0].record.email).toBe('1@acme.example');
});

test('an export has the filtered events, the newest first, as JSON and as CSV (found B18)', async () => {
  const shown = await get(`?${day}`);
  const json = await get(`/export?${day}`);
  expect(json.body).toEqual({ data: shown.body.data, next_cursor: null, has_more: false });
  const csv = await get(`/export?format=csv&${day}`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/);
  const lines = csv.text.split('\r\n');
  expect(lines).toHaveLength(12);
  expect(lines[1]).toContain('"2026-03-03T11:59:59.000Z","Ada","user"');
});

test('an export of too many events is cut at 50,000 and says so, and formulas become text (found B18)', async () => {
  await insertEvents(orgId, 25_000, '2026-05-05T12:00:00Z');
  const body = JSON.parse(await download(''));
  expect([body.data.length, body.has_more]).toEqual([50_000, true]);
  expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(50_000);
  const rest = await get(`/export?after=${body.next_cursor}`);
  expect(rest.body.has_more).toBe(false);
  expect(rest.body.data.length).toBeGreaterThan(5_000);
  const text = await download('?format=csv');
  expect(text).toContain(`"'=HYPERLINK(""https://evil.example"";""Ada"")"`);
  expect(text).not.toMatch(/(^|,)"?=/m);
  expect(text.trimEnd().split('\r\n').at(-1)).toMatch(
    /^"This file contains only the newest 50000 events\. Export the events before 2026-/,
  );
});

test('a person can run one export at a time, and start another once it has ended (found B18)', async () => {
  const leaving = new AbortController();
  const headers = { cookie: admin.cookie!, 'Sec-Fetch-Site': 'same-origin' };
  const slow = await fetch(`${served.url}/console/api/orgs/${orgId}/audit/export`, { headers, signal: leaving.signal });
  expect(slow.status).toBe(200);
  const second = await get('/export');
  expect([second.status, second.error.error]).toEqual([429, 'rate_limited']);
  leaving.abort();
  await expect.poll(async () => (await get(`/export?${day}`)).status).toBe(200);
});

test('an export is cut off once its reader has lost the session', async () => {
  const cookie = await joinAs(served.db, orgId, 'admin', newEmail());
  const headers = { cookie, 'Sec-Fetch-Site': 'same-origin' };
  // The file is much larger than the buffers of the connection, so most of it is not read yet.
  const slow = await fetch(`${served.url}/console/api/orgs/${orgId}/audit/export`, { headers });
  expect(slow.status).toBe(200);
  expect((await new Browser(served.url, cookie).post('/sign-out')).status).toBe(200);
  await expect(slow.text()).rejects.toThrow('terminated');
});

test('an invalid cursor is answered with an error instead of a file (found B18)', async () => {
  const response = await get(`/export?format=csv&after=${newId()}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json']);
});
