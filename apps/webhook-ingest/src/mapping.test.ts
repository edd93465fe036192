import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, startReceiver } from './webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const inputs = {
  email: { type: 'string', format: 'email', required: true },
  age: { type: 'number' },
  vip: { type: 'boolean', default: false },
  source: { type: 'string' },
  user: { type: 'object' },
};
const mapping = {
  email: 'payload.user.email',
  age: 'payload.user.age',
  vip: 'payload.user.vip',
  user: 'payload.user',
  source: { const: 'website' },
};

async function createAssigned(name: string, filter?: string) {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  await receiver.assign(trigger.id, { name, inputs }, mapping, filter);
  const send = (body: unknown) => post(receiver.url, trigger.id, { secret, body: JSON.stringify(body) });
  const runs = async () => {
    const own = new Set(
      (await receiver.deliveries()).filter((one) => one.trigger_id === trigger.id).map(({ id }) => id),
    );
    return (await receiver.runs()).filter(({ delivery_id: id }) => own.has(id));
  };
  return { trigger, secret, send, runs };
}

test('a delivery starts a run with its mapped and converted inputs', async () => {
  const { send, runs } = await createAssigned('mapped');
  const user = { email: 'ada@example.com', age: '36', vip: 'true' };
  expect((await send({ user })).status).toBe(202);
  expect(await runs()).toMatchObject([
    { status: 'queued', version: 1, inputs: { email: user.email, age: 36, vip: true, source: 'website', user } },
  ]);
});

test('what PostgreSQL cannot hold is cleaned in the inputs, and the delivery accepted', async () => {
  const { send, runs } = await createAssigned('cleaned');
  const user = { email: 'ada@example.com', note: 'a\u0000b\ud800' };
  expect((await send({ user })).status).toBe(202);
  expect((await runs())[0]!.inputs).toMatchObject({ user: { note: 'a\uFFFDb\uFFFD' } });
});

test('required inputs that are missing or cannot be converted are 400, naming input and field, and store nothing', async () => {
  const { send, runs } = await createAssigned('required');
  for (const user of [{}, { email: null }, { email: '' }, { email: 'nobody' }]) {
    const { status, body } = await send({ user });
    expect(status).toBe(400);
    expect(body).toEqual({ error: expect.stringMatching(/"email".*payload\.user\.email/) });
  }
  expect(await send({ user: { email: 'a@b.c', age: 'old', vip: 'perhaps' } })).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/"age".*payload\.user\.age.*"vip".*payload\.user\.vip/) },
  });
  expect(await runs()).toEqual([]);
});

test('a filter turns deliveries away from its workflow alone, also one that fails', async () => {
  const { trigger, send, runs } = await createAssigned('filtered', 'payload.kind == "lead"');
  await receiver.assign(trigger.id, { name: 'always', inputs: {} }, {});
  const user = { email: 'ada@example.com' };
  for (const body of [{ user, kind: 'lead' }, { user, kind: 'other' }, { user }])
    expect((await send(body)).status).toBe(202);
  // A workflow that a filter turns away asks for no inputs.
  expect((await send({ kind: 'other' })).status).toBe(202);
  expect(await runs()).toHaveLength(5);
  const skipped = (await receiver.deliveries()).slice(-4).map((delivery) => delivery.skipped);
  expect(skipped).toMatchObject([
    null,
    [{ reason: 'filtered' }],
    [{ reason: 'filter_failed' }],
    [{ reason: 'filtered' }],
  ]);
});

test('a delivery to a trigger without workflows is stored', async () => {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  expect((await post(receiver.url, trigger.id, { secret, body: '{"a":1}' })).status).toBe(202);
  expect((await receiver.deliveries()).at(-1)!.trigger_id).toBe(trigger.id);
});
