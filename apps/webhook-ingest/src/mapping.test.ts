import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    post(receiver.url, trigger.id, { secret, body: JSON.stringify(body), headers });
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

test('characters that PostgreSQL cannot store are removed from the inputs, and the delivery is accepted', async () => {
  const { send, runs } = await createAssigned('cleaned');
  const user = { email: 'ada@example.com', note: 'a\u0000b\ud800' };
  expect((await send({ user })).status).toBe(202);
  expect((await runs())[0]!.inputs).toMatchObject({ user: { note: 'a\uFFFDb\uFFFD' } });
});

test('if a required input is missing or cannot be converted, the response is 400 and names the input and the field, and nothing is stored', async () => {
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

test('a filter that excludes a delivery, or fails, affects only its own workflow', async () => {
  const { trigger, send, runs } = await createAssigned('filtered', 'payload.kind == "lead"');
  await receiver.assign(trigger.id, { name: 'always', inputs: {} }, {});
  const user = { email: 'ada@example.com' };
  for (const body of [{ user, kind: 'lead' }, { user, kind: 'other' }, { user }])
    expect((await send(body)).status).toBe(202);
  // A workflow whose filter excludes the delivery needs no inputs.
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

describe('headers', () => {
  const signatures = {
    'x-hub-signature-256': 'sha256=abc',
    'stripe-signature': 't=1,v1=abc',
    'x-shopify-hmac-sha256': 'abc',
    'webhook-signature': 'v1,abc',
    'paypal-transmission-sig': 'abc',
    authorization: 'Bearer abc',
    cookie: 'a=abc',
  };

  test('S.5: a workflow that is selected by a header starts only for issues.opened, and gets its inputs from headers', async () => {
    const { trigger, secret } = await receiver.createUniqueTrigger();
    const definition = { name: 'issues', inputs: { event: { type: 'string', required: true } } };
    const filter = 'delivery.headers["x-github-event"] == "issues" && payload.action == "opened"';
    await receiver.assign(trigger.id, definition, { event: 'headers.X-GitHub-Event' }, filter);
    const send = (event: string, action: string) =>
      post(receiver.url, trigger.id, {
        secret,
        body: JSON.stringify({ action }),
        headers: { 'x-github-event': event },
      });
    for (const [event, action] of [
      ['issues', 'opened'],
      ['issues', 'closed'],
      ['pull_request', 'opened'],
    ] as const)
      expect((await send(event, action)).status).toBe(202);
    expect((await receiver.runs()).filter(({ inputs }) => 'event' in inputs)).toMatchObject([
      { inputs: { event: 'issues' } },
    ]);
  });

  test('if the header of a required input is missing, the response is 400 and names the header and the input', async () => {
    const { trigger, secret } = await receiver.createUniqueTrigger();
    const definition = { name: 'from-header', inputs: { event: { type: 'string', required: true } } };
    await receiver.assign(trigger.id, definition, { event: 'headers.x-event' });
    expect(await post(receiver.url, trigger.id, { secret, body: '{}' })).toMatchObject({
      status: 400,
      body: { error: 'input "event" (from headers.x-event) is required' },
    });
  });

  test('credentials and signatures are not stored, and inputs cannot be mapped to them', async () => {
    const { trigger, secret } = await receiver.createUniqueTrigger();
    const headers = { ...signatures, 'x-github-delivery': 'one' };
    expect((await post(receiver.url, trigger.id, { secret, body: '{}', headers })).status).toBe(202);
    const kept = (await receiver.deliveries()).at(-1)!.headers;
    expect(kept).toMatchObject({ 'x-github-delivery': 'one' });
    expect(JSON.stringify(kept)).not.toContain('abc');
    const definition = { name: 'mapped-to-proof', inputs: { proof: { type: 'string' } } };
    for (const name of Object.keys(signatures))
      await expect(receiver.assign(trigger.id, definition, { proof: `headers.${name}` })).rejects.toMatchObject({
        details: [{ message: `"proof" cannot be mapped to the header ${name}, which is not stored with a delivery.` }],
      });
  });
});

test('S.8: a whole number beyond 2^53 keeps its digits in a string, an object and a filter, and is refused as a number', async () => {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  const inputs = { order: { type: 'string' }, customer: { type: 'object' } };
  const mapping = { order: 'payload.id', customer: 'payload.customer' };
  await receiver.assign(trigger.id, { name: 'large', inputs }, mapping, 'payload.id == 820982911946154508');
  const body = '{"id":820982911946154508,"customer":{"id":115310627314723954,"n":1}}';
  expect((await post(receiver.url, trigger.id, { secret, body })).status).toBe(202);
  const made = (await receiver.runs()).at(-1)!.inputs;
  expect(made).toEqual({ order: '820982911946154508', customer: { id: '115310627314723954', n: 1 } });
  const other = await receiver.createUniqueTrigger();
  await receiver.assign(
    other.trigger.id,
    { name: 'large-number', inputs: { n: { type: 'number' } } },
    { n: 'payload.n' },
  );
  const refused = await post(receiver.url, other.trigger.id, {
    secret: other.secret,
    body: '{"n":820982911946154508}',
  });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: 'input "n" (from payload.n) must be a number of at most 2^53' },
  });
});
