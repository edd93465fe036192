import { createOrganization } from '@relata/auth';
import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { assignWorkflow } from '@relata/workflows';
import {
  findRefusedPost,
  listRefusals,
  previewReplay,
  type RefusedPost,
  replayDelivery,
} from '@relata/workflows/deliveries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, startReceiver } from '../webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const inputs = { email: { type: 'string', format: 'email', required: true } };
const context = () => ({ database: receiver.db.database, bus: noopBus });
const replay = (id: string, orgId = receiver.orgId) => replayDelivery(context(), operatorActor(orgId, 'test'), id);

/**
 * Creates a trigger with a secret. Its workflow requires an email address, but is mapped to a field that the posts do
 * not have.
 */
async function makeRefusing(name: string) {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  const workflowId = await receiver.assign(trigger.id, { name, inputs }, { email: 'payload.email' });
  return {
    id: trigger.id,
    workflowId,
    send: (body: string, headers: Record<string, string> = {}) =>
      post(receiver.url, trigger.id, { secret, body, headers }),
    repair: (path: string) =>
      assignWorkflow(context(), operatorActor(receiver.orgId, 'test'), {
        triggerId: trigger.id,
        workflowId,
        inputs: { email: path },
      }),
    kept: (count: number) =>
      until(async () => {
        const posts = await listRefusals(receiver.db.database, receiver.orgId, { triggerId: trigger.id, limit: 200 });
        expect(posts).toHaveLength(count);
        return posts;
      }),
    runs: async () => (await receiver.runs()).filter((run) => run.workflow_id === workflowId),
  };
}

const refusedEmail = { status: 400, body: { error: 'input "email" (from payload.email) is required' } };

test('a post without a required input gets 400 and is kept whole; once the mapping is repaired, a replay by its id stores it (acceptance S.13)', async () => {
  const trigger = await makeRefusing('person');
  const text = 'x'.repeat(400_000);
  const body = `{ "user":{"email":"ada@acme.example"}, "id": 820982911946154508, "text":"${text}" }`;
  expect(await trigger.send(body, { 'x-event': 'signup', 'idempotency-key': 'event-1' })).toMatchObject(refusedEmail);
  const [{ id }] = (await trigger.kept(1)) as [RefusedPost];
  const kept = await findRefusedPost(receiver.db.database, receiver.orgId, id);
  expect(kept).toMatchObject({ can_replay: true, headers: { 'x-event': 'signup' } });
  expect(kept!.body!.toString()).toBe(body);
  await expect(replay(id)).rejects.toMatchObject({ code: 'validation_error' });
  await trigger.repair('payload.user.email');
  const slicer = {
    pause: () => undefined,
    aside: <R>(work: () => Promise<R>) => work(),
    turn: async () => undefined,
  } as never;
  const preview = await previewReplay(receiver.db.database, receiver.orgId, id, { slicer });
  expect(preview).toMatchObject({ starts: [{ workflow_id: trigger.workflowId }], problems: [] });
  const replays = await Promise.allSettled([replay(id), replay(id)]);
  expect(replays.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  const [run, ...others] = await trigger.runs();
  expect(others).toEqual([]);
  expect(run!.inputs).toEqual({ email: 'ada@acme.example' });
  const stored = (await receiver.deliveries()).find((row) => row.trigger_id === trigger.id);
  expect(stored!.body.toString()).toBe(body);
  const again = replay(id);
  await expect(again).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(stored!.id) });
  // A repeat by the sender is the same event.
  await until(async () => expect((await trigger.send(body, { 'idempotency-key': 'event-1' })).status).toBe(202));
  expect(await trigger.runs()).toHaveLength(1);
});

test.for([
  ['a list', '[{"email":"ada@acme.example"}]', 'payload.0.email'],
  [
    '1,001 keys',
    `{"email":"ada@acme.example",${Array.from({ length: 1_000 }, (_, i) => `"k${i}":0`).join()}}`,
    'payload.email',
  ],
  ['21 levels', `{"email":"ada@acme.example","a":${'['.repeat(20)}${']'.repeat(20)}}`, 'payload.email'],
])('a post that was refused for %s can be replayed under the limits of signed posts', async ([, body, path]) => {
  const trigger = await makeRefusing(`shape-${path}-${body!.length}`);
  await trigger.repair(path!);
  expect((await trigger.send(body!)).status).toBe(400);
  const [{ id }] = (await trigger.kept(1)) as [RefusedPost];
  expect((await replay(id)).runs).toHaveLength(1);
  expect(await trigger.runs()).toMatchObject([{ inputs: { email: 'ada@acme.example' } }]);
});

test('a post that is not JSON, has no secret or belongs to another organization cannot be replayed', async () => {
  const trigger = await makeRefusing('hopeless');
  expect((await trigger.send('{"a":')).status).toBe(400);
  expect((await trigger.send('{}', { 'x-webhook-secret': 'wrong' })).status).toBe(401);
  const posts = await trigger.kept(2);
  const ids = Object.fromEntries(posts.map(({ id, status }) => [status, id]));
  await expect(replay(ids[400]!)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('JSON') });
  await expect(replay(ids[401]!)).rejects.toMatchObject({ code: 'conflict' });
  expect(posts.find(({ status }) => status === 401)).toMatchObject({ body: null, can_replay: false });
  const { id: otherOrg } = await createOrganization(receiver.db.database, 'Globex');
  await expect(replay(ids[400]!, otherOrg)).rejects.toMatchObject({ code: 'not_found' });
});

test('a refused event that was received again since is not stored twice', async () => {
  const trigger = await makeRefusing('again');
  const body = '{"user":{"email":"ada@acme.example"}}';
  expect(await trigger.send(body, { 'idempotency-key': 'e1' })).toMatchObject(refusedEmail);
  const [{ id }] = (await trigger.kept(1)) as [RefusedPost];
  await trigger.repair('payload.user.email');
  await until(async () => expect((await trigger.send(body, { 'idempotency-key': 'e1' })).status).toBe(202));
  await expect(replay(id)).rejects.toMatchObject({ code: 'conflict' });
  expect(await trigger.runs()).toHaveLength(1);
});

test('a repeat of an accepted event gets 202, even if a mapping that was changed since would refuse it', async () => {
  const trigger = await makeRefusing('changed');
  await trigger.repair('payload.user.email');
  const body = '{"user":{"email":"ada@acme.example"}}';
  const send = (key?: string) => trigger.send(body, key === undefined ? {} : { 'idempotency-key': key });
  await until(async () => expect((await send('accepted')).status).toBe(202));
  await trigger.repair('payload.email');
  await until(async () => expect(await send()).toMatchObject(refusedEmail));
  const before = await trigger.runs();
  expect(await send('accepted')).toMatchObject({ status: 202, body: { received: true } });
  expect(await send('another')).toMatchObject(refusedEmail);
  expect(await trigger.runs()).toEqual(before);
});

test('the last 100 posts of a trigger are kept whole', async () => {
  const trigger = await makeRefusing('many');
  for (let i = 0; i < 4; i++) {
    const bodies = Array.from({ length: 30 }, (_, n) => JSON.stringify({ n: i * 30 + n, text: 'x'.repeat(20_000) }));
    await Promise.all(bodies.map((body) => trigger.send(body)));
    await trigger.kept(Math.min((i + 1) * 30, 100));
  }
  const posts = await trigger.kept(100);
  expect(new Set(posts.map(({ can_replay: can }) => can))).toEqual(new Set([true]));
  expect(posts[0]!.body!.length).toBe(8_192);
});
