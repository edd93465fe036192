import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { changeTrigger } from '@relata/workflows';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, startReceiver } from './webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => void (receiver = await startReceiver()));
afterAll(() => receiver[Symbol.asyncDispose]());

/** Creates a trigger with this repeat key and a workflow. */
async function openTrigger(repeatKey: string) {
  const { trigger, secret } = await receiver.createUniqueTrigger(receiver.orgId, repeatKey);
  await receiver.assign(trigger.id, { name: `of-${trigger.id}`, inputs: {} }, {});
  const send = async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await post(receiver.url, trigger.id, { secret, body: JSON.stringify(body), headers });
    expect(response).toMatchObject({ status: 202, body: { received: true } });
  };
  const stored = async () => (await receiver.deliveries()).filter(({ trigger_id: id }) => id === trigger.id);
  const runs = async () => {
    const ids = new Set((await stored()).map(({ id }) => id));
    return (await receiver.runs()).filter(({ delivery_id: id }) => ids.has(id));
  };
  return { id: trigger.id, send, stored, runs };
}

test('S.4: repeated GitHub deliveries, even concurrent ones, are one delivery with one run', async () => {
  const { send, stored, runs } = await openTrigger('delivery.headers["x-github-delivery"]');
  const of = (delivery: string) => send({ action: 'opened' }, { 'x-github-delivery': delivery });
  await Promise.all(Array.from({ length: 20 }, () => of('72d3162e')));
  await of('72d3162e');
  expect(await stored()).toMatchObject([{ repeat_problem: null }]);
  expect(await runs()).toHaveLength(1);
  await of('72d3162f');
  expect(await stored()).toHaveLength(2);
});

test('a repeat key can read the payload, and its value can be a string or a number', async () => {
  const { send, stored } = await openTrigger('payload.id');
  for (const id of ['evt_1', 'evt_1', 7, '7', 1.5, 'x\ud800', 'x\ud801']) await send({ id });
  expect(await stored()).toHaveLength(5);
});

test('a delivery whose repeat key yields no value is stored each time, with the reason', async () => {
  const { send, stored } = await openTrigger('payload.id');
  const bodies = [{}, { id: null }, { id: '' }, { id: { a: 1 } }];
  for (const body of [...bodies, ...bodies]) await send(body, { 'idempotency-key': 'the same' });
  const problems = (await stored()).map(({ repeat_problem }) => repeat_problem);
  const once = [
    'No such key: id in payload. Test for it first with has(payload.id).',
    'The value is empty.',
    'The value is empty.',
    'The value must be a string or a number, but is: object.',
  ];
  expect(problems).toEqual([...once, ...once]);
});

test('deliveries with long headers that differ only at the end are different events', async () => {
  const { send, stored } = await openTrigger('delivery.headers["x-event-id"]');
  for (const end of ['a', 'b']) await send({}, { 'x-event-id': 'x'.repeat(1_500) + end });
  expect((await stored()).map(({ repeat_problem }) => repeat_problem)).toEqual([null, null]);
});

test('a value that only a previous repeat key of the trigger has yielded is not a repeat', async () => {
  const { id, send, stored } = await openTrigger('payload.id');
  await send({ id: 'one' });
  const context = { database: receiver.db.database, bus: noopBus };
  const actor = operatorActor(receiver.orgId, 'test');
  await changeTrigger(context, actor, { id, repeatKey: 'payload.other' });
  let sent = 0;
  await until(async () => {
    await send({ id: 'one', other: `${sent++}` });
    expect(await stored()).toHaveLength(2);
  });
  await send({ id: 'two', other: 'one' });
  expect(await stored()).toHaveLength(3);
});

test('a name in a repeat key may be any text: the delivery is accepted, and the problem can be stored', async () => {
  const { send, stored } = await openTrigger('payload["\\u0000"]');
  await send({});
  expect(await stored()).toMatchObject([{ repeat_problem: expect.stringContaining('No such key: \uFFFD in payload') }]);
});

test.each(['authorization', 'x-real-ip', 'x-hub-signature-256'])(
  'setting a repeat key on the header %s is refused, since no delivery has it',
  async (header) => {
    const { id } = await openTrigger('payload.id');
    const context = { database: receiver.db.database, bus: noopBus };
    const set = changeTrigger(context, operatorActor(receiver.orgId, 'test'), {
      id,
      repeatKey: `delivery.headers["${header}"]`,
    });
    await expect(set).rejects.toMatchObject({ code: 'validation_error' });
  },
);
