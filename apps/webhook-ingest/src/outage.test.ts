import { createOrganization } from '@relata/auth';
import { openDatabase, statement } from '@relata/db';
import { startOwnPostgres, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { createUniqueTrigger, openReceiver, post, startReceiver } from './webhook-ingest.harness.ts';

test('a delivery is answered with 503 and Retry-After while PostgreSQL is unavailable, and is not stored', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startOwnPostgres(stack);
  const { url } = postgres;
  const { id, secret } = await createOwnTrigger(url);
  const receiver = stack.use(await openReceiver(url));
  expect((await post(receiver.url, id, { secret, body: '{"n":1}' })).status).toBe(202);

  await postgres.stop();
  const away = await Promise.all(Array.from({ length: 5 }, () => post(receiver.url, id, { secret, body: '{"n":2}' })));
  for (const response of away) {
    expect(response).toMatchObject({ status: 503, body: { error: 'service unavailable, try again later' } });
    expect(response.headers.get('retry-after')).toBe('1');
  }
  const counted = /^webhook_deliveries_refused_total\{reason="service_unavailable".*\} 5$/m;
  expect(await receiver.metrics.metrics()).toMatch(counted);
  // Requests that do not need the database get their usual response.
  expect((await post(receiver.url, id, { secret, body: '[' })).status).toBe(400);
  expect((await post(receiver.url, id, { secret: 'x', body: '[' })).status).toBe(401);

  await postgres.start();
  await until(async () => expect((await post(receiver.url, id, { secret, body: '{"n":3}' })).status).toBe(202));
  await using database = openDatabase({ url, name: 'test' });
  const stored = statement<{ body: Buffer }>('test.bodies', 'SELECT body FROM webhook_deliveries ORDER BY id');
  const bodies = (await database.query(stored, [])).map(({ body }) => body.toString());
  expect(bodies).toEqual(['{"n":1}', '{"n":3}']);
});

test('while PostgreSQL is unavailable, every method except POST is answered with 405, and a URL check of Meta with 503', async () => {
  await using receiver = await openReceiver('postgres://relata@127.0.0.1:1/none');
  const answerTo = async (method: string, query = '') => {
    const address = `${receiver.url}/webhooks/trigger/${crypto.randomUUID()}${query}`;
    const { status, headers } = await fetch(address, { method });
    return [status, headers.get('allow'), headers.get('retry-after')];
  };
  const check = '?hub.mode=subscribe&hub.verify_token=x&hub.challenge=1';
  for (const method of ['GET', 'HEAD', 'PUT']) expect(await answerTo(method)).toEqual([405, 'POST', null]);
  expect(await answerTo('GET', check)).toEqual([503, null, '1']);
  expect(await answerTo('HEAD', check)).toEqual([405, 'POST', null]);
});

test('deliveries are accepted as usual while NATS is unavailable', async () => {
  await using receiver = await startReceiver({ natsUrl: 'nats://127.0.0.1:1' });
  const { trigger, secret } = await receiver.createUniqueTrigger();
  await receiver.assign(trigger.id, { name: 'one', inputs: {} }, {});
  const responses = await Promise.all(Array.from({ length: 50 }, () => post(receiver.url, trigger.id, { secret })));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await receiver.runs()).toHaveLength(50);
  expect(await receiver.receiver.metrics.metrics()).toMatch(/webhook_rings_total\{taken="false".*\} [1-9]/);
});

test('the metrics count accepted and refused deliveries, by reason', async () => {
  await using receiver = await startReceiver();
  const { trigger, secret } = await receiver.createUniqueTrigger();
  // If a counter were missing until its first event, an alert would not see that event.
  const before = await receiver.receiver.metrics.metrics();
  expect(before).toMatch(/webhook_deliveries_accepted_total\{kind="new".*\} 0/);
  expect(before).toMatch(/webhook_deliveries_refused_total\{reason="service_unavailable".*\} 0/);
  const headers = { 'idempotency-key': 'one' };
  for (const sent of [{ secret, headers }, { secret, headers }, { secret, body: '[' }, { secret: 'x' }])
    await post(receiver.url, trigger.id, sent);
  const text = await receiver.receiver.metrics.metrics();
  for (const kind of ['new', 'repeat'])
    expect(text).toMatch(new RegExp(`webhook_deliveries_accepted_total\\{kind="${kind}".*\\} 1`));
  for (const reason of ['invalid_json', 'unauthorized'])
    expect(text).toMatch(new RegExp(`webhook_deliveries_refused_total\\{reason="${reason}".*\\} 1`));
});

async function createOwnTrigger(url: string) {
  await using database = openDatabase({ url, name: 'test' });
  const { id: orgId } = await createOrganization(database, 'Acme');
  const { trigger, secret } = await createUniqueTrigger(database, orgId);
  return { id: trigger.id, secret };
}
