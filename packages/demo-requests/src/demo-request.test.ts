import { newId, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimDemoRequest, recordOutcome } from './demo-request-claim.sql.ts';
import {
  findDemoRequest,
  findDemoRequestOrganization,
  listAllDemoRequests,
  listDemoRequests,
  storeDemoRequest,
} from './index.ts';
import { actorIn, ada, makeOrganization } from './demo-requests.harness.ts';

let testDatabase: TestDatabase;
beforeAll(async () => void (testDatabase = await createTestDatabase()));
afterAll(() => testDatabase[Symbol.asyncDispose]());

const db = () => testDatabase.database;
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
const all = { unsent: false, limit: 100 };

const age = statement<never>(
  '',
  `UPDATE demo_requests SET created_at = created_at - interval '1 minute' WHERE id = $1`,
);

async function send(orgId: string): Promise<string> {
  const request = await storeDemoRequest(db(), actorIn(orgId), ada);
  const claim = await claimDemoRequest(db(), request, { leaseMs: 60_000, mayRepeat: false });
  await recordOutcome(db(), claim!, undefined);
  return request.id;
}

test("a visitor's details are stored exactly, and missing ones are null", async () => {
  const orgId = await makeOrganization(db());
  const fields = { ...ada, name: ' <b>\u202e"\'; DROP TABLE ', crm: '', message: '😀'.repeat(100_000) };
  const stored = await storeDemoRequest(db(), actorIn(orgId), fields);
  expect(stored).toMatchObject({
    ...fields,
    org_id: orgId,
    team_size: null,
    use_case: null,
    attempts: 0,
    sent_at: null,
  });
  expect(await findDemoRequest(db(), orgId, stored.id)).toEqual(stored);
});

test('a new request counts as sending for ten seconds, and as pending after that', async () => {
  const orgId = await makeOrganization(db());
  const { id, status } = await storeDemoRequest(db(), actorIn(orgId), ada);
  expect(status).toBe('sending');
  await db().query(age, [id]);
  expect(await findDemoRequest(db(), orgId, id)).toMatchObject({ status: 'pending' });
});

test('requests are listed newest first, page by page, without requests of other organizations', async () => {
  const [acme, globex] = [await makeOrganization(db()), await makeOrganization(db())];
  const made: string[] = [];
  for (const orgId of [acme, globex, acme, acme]) made.push((await storeDemoRequest(db(), actorIn(orgId), ada)).id);
  const [first, foreign, second, third] = made;
  expect(idsOf(await listDemoRequests(db(), acme, all))).toEqual([third, second, first]);
  expect(idsOf(await listDemoRequests(db(), acme, { ...all, limit: 1, before: third }))).toEqual([second]);
  expect(idsOf(await listAllDemoRequests(db(), all)).slice(0, 4)).toEqual([third, second, foreign, first]);
  expect(idsOf(await listAllDemoRequests(db(), { ...all, before: second, limit: 1 }))).toEqual([foreign]);
  expect(await listDemoRequests(db(), newId(), all)).toEqual([]);
  expect(await findDemoRequest(db(), acme, foreign!)).toBeUndefined();
  expect(await findDemoRequestOrganization(db(), foreign!)).toBe(globex);
  expect(await findDemoRequestOrganization(db(), newId())).toBeUndefined();
});

test('unsent requests are all that are not known to have arrived', async () => {
  const orgId = await makeOrganization(db());
  const sent = await send(orgId);
  const { id: pending } = await storeDemoRequest(db(), actorIn(orgId), ada);
  const unsent = { ...all, unsent: true };
  expect(idsOf(await listDemoRequests(db(), orgId, unsent))).toEqual([pending]);
  expect(idsOf(await listDemoRequests(db(), orgId, all))).toEqual([pending, sent]);
  const ofAll = idsOf(await listAllDemoRequests(db(), unsent));
  expect(ofAll).toContain(pending);
  expect(ofAll).not.toContain(sent);
});

test('a list of requests leaves out their messages', async () => {
  const orgId = await makeOrganization(db());
  await storeDemoRequest(db(), actorIn(orgId), ada);
  const [listed] = await listDemoRequests(db(), orgId, all);
  expect(listed).not.toHaveProperty('message');
  expect(listed).toMatchObject({ name: ada.name, work_email: ada.work_email });
});

test('an attempt that lost its claim can record that the request arrived, but not that it failed', async () => {
  const orgId = await makeOrganization(db());
  const request = await storeDemoRequest(db(), actorIn(orgId), ada);
  // Expired from the start, even if the clock is set back a little.
  const terms = { leaseMs: -1_000, mayRepeat: false };
  const slow = await claimDemoRequest(db(), request, terms);
  const second = await claimDemoRequest(db(), { ...request, attempts: 1 }, terms);
  const failure = { code: 'rejected', message: 'No.', isInDoubt: false };
  await recordOutcome(db(), slow!, failure);
  expect(await findDemoRequest(db(), orgId, request.id)).toMatchObject({ status: 'in_doubt', last_error: null });
  await recordOutcome(db(), slow!, undefined);
  await recordOutcome(db(), second!, failure);
  expect(await findDemoRequest(db(), orgId, request.id)).toMatchObject({ status: 'sent', sent_at: expect.any(String) });
});

test('a list of unsent requests uses the index of unsent requests', async () => {
  const orgId = await makeOrganization(db());
  const plan = await db().transaction(async (on) => {
    await on.query(statement<never>('', 'SET LOCAL enable_seqscan = off'), []);
    const explain = `EXPLAIN SELECT id FROM demo_requests WHERE org_id = '${orgId}' AND status <> 'sent' ORDER BY id DESC LIMIT 5`;
    return on.query(statement<{ 'QUERY PLAN': string }>('', explain), []);
  });
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('demo_requests_unsent');
});
