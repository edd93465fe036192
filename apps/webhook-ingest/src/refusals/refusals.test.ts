import { createOrganization } from '@relata/auth';
import { until } from '@relata/testing';
import { countRefusals, listRefusals } from '@relata/workflows/deliveries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUniqueTrigger, post, startReceiver } from '../webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

const refusedOf = (triggerId: string, orgId = receiver.orgId) =>
  listRefusals(receiver.db.database, orgId, { limit: 1_000, triggerId });
const countsOf = async (triggerId: string) => {
  const counts = await countRefusals(receiver.db.database, receiver.orgId, triggerId);
  return Object.fromEntries(counts.map(({ reason, refused }) => [reason, refused]));
};

test('S.6: the refusals of a trigger are counted by reason, and show the invalid field', async () => {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  const inputs = { email: { type: 'string', required: true }, age: { type: 'number' } };
  const mapping = { email: 'payload.user.email', age: 'payload.age' };
  await receiver.assign(trigger.id, { name: 'refusing', inputs }, mapping);
  const renamed = '{"user":{"mail":"ada@example.com"},"age":"old"}';
  const send = (body: string, with_ = secret) => post(receiver.url, trigger.id, { secret: with_, body });
  const responses = [
    await send(renamed),
    await send('{"a":'),
    await send('{"password":"pw-5ecret"}', 'wrong'),
    await send(`{"a":"${'x'.repeat(600_000)}"}`),
    await send(`{"a":${'['.repeat(30)}${']'.repeat(30)},"b":"${'é'.repeat(10_000)}"}`),
  ];
  expect(responses.map(({ status }) => status)).toEqual([400, 400, 401, 413, 400]);
  const refused = await until(async () => {
    const found = await refusedOf(trigger.id);
    expect(found).toHaveLength(5);
    return found.toReversed();
  });
  const times = { refused_at: expect.any(String), trigger: 'Form', address: '127.0.0.1' };
  const nothing = { field: null, body: null };
  expect(refused).toMatchObject([
    {
      ...times,
      status: 400,
      reason: 'invalid_input',
      field: 'payload.user.email, payload.age',
      message: 'input "email" (from payload.user.email) is required; input "age" (from payload.age) must be a number',
      bytes: renamed.length,
      body: Buffer.from(renamed),
    },
    { ...times, status: 400, reason: 'not_json', bytes: 5, field: null, body: Buffer.from('{"a":') },
    { ...times, ...nothing, status: 401, reason: 'unauthorized', bytes: 24 },
    { ...times, ...nothing, status: 413, reason: 'payload_too_large', bytes: 600_008 },
    { ...times, status: 400, reason: 'too_complex' },
  ]);
  expect(refused[4]!.body).toHaveLength(8_192);
  expect(await countsOf(trigger.id)).toEqual({
    invalid_input: 1,
    not_json: 1,
    payload_too_large: 1,
    too_complex: 1,
    unauthorized: 1,
  });
});

test('a post to an unknown trigger is refused and not recorded', async () => {
  const { id: orgId } = await createOrganization(receiver.db.database, 'Globex');
  const { trigger } = await createUniqueTrigger(receiver.db.database, orgId);
  await post(receiver.url, '019a1b2c-0000-7000-8000-000000000001', { secret: 'x', body: '{}' });
  await post(receiver.url, trigger.id, { secret: 'x', body: '{}' });
  await until(async () => expect(await refusedOf(trigger.id, orgId)).toHaveLength(1));
  expect(await listRefusals(receiver.db.database, orgId, { limit: 1_000 })).toHaveLength(1);
  // Refusals of another organization's trigger are not visible.
  expect(await refusedOf(trigger.id)).toEqual([]);
});

test('a method other than POST is counted as a refusal of a known trigger, with the same response as for an unknown trigger', async () => {
  const { trigger } = await receiver.createUniqueTrigger();
  const methods = ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
  for (const id of [trigger.id, '019a1b2c-0000-7000-8000-000000000001', 'x'])
    for (const method of methods) {
      const { status, headers, body } = await post(receiver.url, id, { method });
      const error = method === 'HEAD' ? '' : { error: 'method not allowed' };
      expect([status, headers.get('allow'), body]).toEqual([405, 'POST', error]);
    }
  const refused = await until(async () => {
    const found = await refusedOf(trigger.id);
    expect(found).toHaveLength(methods.length);
    return found;
  });
  const one = expect.objectContaining({ status: 405, reason: 'method_not_allowed', body: null });
  expect(refused).toEqual(methods.map(() => one));
  expect(await countsOf(trigger.id)).toEqual({ method_not_allowed: methods.length });
});

test('the latest 100 refusals of each trigger are kept, and posts without the secret never displace others', async () => {
  const { trigger, secret } = await receiver.createUniqueTrigger();
  const invalid = () => post(receiver.url, trigger.id, { secret, body: '[' });
  const foreign = () => post(receiver.url, trigger.id, { secret: 'wrong', body: '{}' });
  for (let round = 1; round <= 3; round++) {
    await Promise.all(Array.from({ length: 60 }, invalid));
    await Promise.all(Array.from({ length: 60 }, foreign));
    const counts = { not_json: 60 * round, unauthorized: 60 * round };
    await until(async () => expect(await countsOf(trigger.id)).toEqual(counts));
  }
  const kept = await refusedOf(trigger.id);
  expect(kept.filter(({ reason }) => reason === 'not_json')).toHaveLength(100);
  expect(kept.filter(({ reason }) => reason === 'unauthorized')).toHaveLength(100);
});
