import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import type { DeliverySearch } from '@relata/schemas/console';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs, newEmail, untilWaiting } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

let served: TestConsole;
beforeAll(async () => void (served = await startTestConsole()));
afterAll(() => served[Symbol.asyncDispose]());

/** Creates an organization, and returns a function that searches as one of its viewers. */
async function newOrg() {
  const { db, url } = served;
  const { id: orgId } = await createOrganization(db.database, 'Acme');
  const browser = new Browser(url, await joinAs(db, orgId, 'viewer', newEmail()));
  const send = (body: object) => browser.post(`/orgs/${orgId}/deliveries/search`, body);
  return {
    orgId,
    browser,
    examples: new Examples(db, orgId),
    send,
    search: async (body: object): Promise<DeliverySearch> => {
      const response = await send(body);
      expect(response.status, response.text).toBe(200);
      return response.body;
    },
  };
}

const idsOf = ({ data }: DeliverySearch) => data.map(({ id }) => id);

test('a search matches bodies and headers, the newest first, and examines every delivery', async () => {
  const { examples, search } = await newOrg();
  const trigger = await examples.emptyTrigger();
  const ids = [
    await examples.deliver(trigger, '{"user":{"email":"ada@acme.example"},"score":7}'),
    await examples.deliver(trigger, '{"user":{"email":"bob@acme.example"},"score":70}'),
    await examples.deliver(trigger, '{"user":{"email":"ada@acme.example"},"score":700}', { 'x-event': 'signup' }),
  ];
  const ofAda = await search({ where: 'payload.user.email == "ada@acme.example"' });
  expect(idsOf(ofAda)).toEqual([ids[2], ids[0]]);
  expect(ofAda).toMatchObject({ has_more: false, next: null, looked_at: 3, looked_back_to: null, failed: 0 });
  expect(idsOf(await search({ where: 'payload.score > 50.0' }))).toEqual([ids[2], ids[1]]);
  expect(idsOf(await search({ where: 'has(delivery.headers["x-event"])' }))).toEqual([ids[2]]);
});

test('a text is found in the body, a header or the id, in any case, and without escapes (found B8)', async () => {
  const { examples, search } = await newOrg();
  const trigger = await examples.emptyTrigger();
  const ids = [
    await examples.deliver(trigger, '{"user":{"email":"Ada.L@Acme.example"}}'),
    await examples.deliver(trigger, String.raw`{"page":"https:\/\/shop.example\/cart","by":"ada.l\u0040acme.example"}`),
    await examples.deliver(trigger, '{"n":4213}', { 'x-event': 'Invoice.Paid' }),
    await examples.deliver(trigger, Buffer.from('{"name":"M\u00dcLLER \u{1F600}","bad":"\xff"}', 'utf8')),
  ] as const;
  const find = async (text: string) => idsOf(await search({ text }));
  expect(await find('ada.l@acme.EXAMPLE')).toEqual([ids[1], ids[0]]);
  expect(await find('shop.example/cart')).toEqual([ids[1]]);
  expect(await find('invoice.paid')).toEqual([ids[2]]);
  expect(await find('4213')).toEqual([ids[2]]);
  expect(await find('müller')).toEqual([ids[3]]);
  expect(await find('"email":"ada')).toEqual([ids[0]]);
  expect(await find('payload.email == "x"')).toEqual([]);
  expect(await find(ids[0].slice(0, 35))).toEqual([ids[0]]);
  expect(await search({ text: 'nothing of this' })).toMatchObject({ data: [], looked_at: 4, failed: 0, next: null });
});

test('a delivery whose whole id is searched comes first and only once, however old it is (found B8)', async () => {
  const [{ examples, search }, globex] = [await newOrg(), await newOrg()];
  const trigger = await examples.emptyTrigger();
  const old = await examples.deliver(trigger, '{"n":1}');
  await examples.copyDelivery(old, 1_100);
  const [oldest, naming] = [
    '01900000-0000-7000-8000-000000000001',
    await examples.deliver(trigger, '{}', { 'x-of': old }),
  ];
  expect(idsOf(await search({ text: old.toUpperCase() }))).toEqual([old, naming]);
  const first = await search({ text: oldest });
  expect(idsOf(first)).toEqual([oldest]);
  expect(idsOf(await search({ text: oldest, before: first.next }))).toEqual([]);
  expect(idsOf(await search({ text: oldest, trigger: await examples.emptyTrigger() }))).toEqual([]);
  expect(idsOf(await globex.search({ text: old }))).toEqual([]);
});

test('a search takes either a text or an expression', async () => {
  const { send } = await newOrg();
  for (const body of [{}, { text: 'a', where: 'true' }, { text: '' }]) expect((await send(body)).status).toBe(400);
});

test('a search respects the other filters of the list', async () => {
  const { examples, search } = await newOrg();
  const [one, other] = [await examples.emptyTrigger(), await examples.emptyTrigger()];
  const here = await examples.deliver(one, '{"n":1}');
  await examples.deliver(other, '{"n":1}');
  const { deliveries, ids, workflowId } = await examples.runs(2);
  await examples.fail(ids.slice(0, 1), { code: 'bad_status', message: 'No.' });
  expect(idsOf(await search({ where: 'payload.n == 1', trigger: one }))).toEqual([here]);
  const failed = { where: 'has(payload.email)', outcome: 'failed', workflow: workflowId };
  expect(idsOf(await search(failed))).toEqual([deliveries[0]]);
  const nothing = await search({ where: 'true', outcome: 'nothing' });
  expect(nothing.data).toHaveLength(2);
  expect(nothing.looked_at).toBe(4);
  expect((await search({ where: 'true', to: '2020-01-01T00:00:00Z' })).looked_at).toBe(0);
});

test('a request examines 1,000 deliveries and says how far it has searched; the next request continues after them', async () => {
  const { examples, search } = await newOrg();
  const trigger = await examples.emptyTrigger();
  const common = await examples.deliver(trigger, '{"kind":"common"}');
  await examples.copyDelivery(common, 1_499);
  const where = 'payload.kind == "rare"';
  const first = await search({ where });
  expect(first).toMatchObject({ data: [], has_more: true, looked_at: 1_000 });
  expect(Date.parse(first.looked_back_to!)).toBeGreaterThan(0);
  const second = await search({ where, before: first.next });
  expect(second).toMatchObject({ data: [], has_more: false, next: null, looked_at: 500 });
});

test('a search stops after the requested number of matches, and continues after the last', async () => {
  const { examples, search } = await newOrg();
  const ids = await examples.deliveries(await examples.emptyTrigger(), 5);
  const first = await search({ where: 'true', limit: 2 });
  expect(idsOf(first)).toEqual([ids[4], ids[3]]);
  expect(first).toMatchObject({ next: ids[3], looked_at: 2 });
  const second = await search({ where: 'true', limit: 3, before: first.next });
  expect(idsOf(second)).toEqual([ids[2], ids[1], ids[0]]);
});

test('reports on how many deliveries an expression fails, and the reason for the newest', async () => {
  const { examples, search } = await newOrg();
  const trigger = await examples.emptyTrigger();
  const right = await examples.deliver(trigger, '{"event":"signup"}');
  await examples.deliver(trigger, '{}');
  const newest = await examples.deliver(trigger, '{"secret":"hidden"}');
  const found = await search({ where: 'payload.event == "signup"' });
  expect(idsOf(found)).toEqual([right]);
  expect(found.failed).toBe(2);
  expect(found.first_fault).toEqual({ id: newest, message: expect.stringContaining('No such key: event in payload.') });
});

test('an invalid expression is refused at its field, with the message of a filter', async () => {
  const { send } = await newOrg();
  const faultOf = async (where: string) => (await send({ where })).body.details?.[0];
  expect(await faultOf('payload.a = 1')).toMatchObject({
    field: 'where',
    message: expect.stringMatching(/^The expression is wrong: .*line 1, column 11.*Did you mean ==\?$/),
  });
  expect((await faultOf('inputs.a == 1')).message).toContain('inputs is not defined here.');
  expect((await faultOf('"text"')).message).toContain('must be true or false');
  expect((await faultOf('x'.repeat(2_001))).field).toBe('where');
});

test('a request examines at most 4 MB of bodies, or 50 ms of greedy expressions; other requests are answered meanwhile', async () => {
  const { examples, search, browser } = await newOrg();
  const trigger = await examples.emptyTrigger();
  const items = Array.from({ length: 5_000 }, (_, at) => `item ${at} ${'y'.repeat(60)}`);
  for (let at = 0; at < 20; at++) await examples.deliver(trigger, JSON.stringify({ items }));
  const first = await search({ where: 'has(payload.no)' });
  expect(first.looked_at).toBeLessThan(20);
  expect(first.next).not.toBeNull();
  const hungry = Array.from({ length: 12 }, (_, at) => `payload.items.exists(i, i.contains("${at}zzzz"))`);
  const searching = search({ where: hungry.join(' || ') });
  expect((await browser.get('/me')).status).toBe(200);
  const greedy = await searching;
  expect(greedy.first_fault!.message).toContain('takes too long');
  expect(greedy.looked_at).toBeGreaterThan(0);
  expect(greedy.looked_at).toBeLessThan(15);
});

test('a search never finds anything of another organization', async () => {
  const [acme, globex] = [await newOrg(), await newOrg()];
  const trigger = await globex.examples.emptyTrigger();
  await globex.examples.deliver(trigger, '{"n":1}');
  expect(await acme.search({ where: 'true' })).toMatchObject({ data: [], looked_at: 0 });
  expect(await acme.search({ where: 'true', trigger })).toMatchObject({ data: [], looked_at: 0 });
  expect((await acme.browser.post(`/orgs/${globex.orgId}/deliveries/search`, { where: 'true' })).status).toBe(404);
});

const lock = statement<never>('test.lock_deliveries', 'LOCK TABLE webhook_deliveries IN ACCESS EXCLUSIVE MODE');

test('a search whose client has left is cancelled in the database, too', async () => {
  const { orgId, browser } = await newOrg();
  await served.db.owner.transaction(async (db) => {
    await db.query(lock, []);
    const leaving = new AbortController();
    const left = fetch(`${served.url}/console/api/orgs/${orgId}/deliveries/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: browser.cookie! },
      body: JSON.stringify({ where: 'true', before: newId() }),
      signal: leaving.signal,
    });
    await untilWaiting(served.db, 1);
    leaving.abort();
    await expect(left).rejects.toThrow('abort');
    await untilWaiting(served.db, 0);
  });
});
