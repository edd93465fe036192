import { createApiKey, createOrganization, hashCredential, revokeApiKey, rotateApiKey } from '@relata/auth';
import { statement } from '@relata/db';
import { busOn, noopBus, operatorActor } from '@relata/events';
import { keyChanged, Messaging } from '@relata/messaging';
import { natsUrl, until } from '@relata/testing';
import { rotateTriggerSecret, changeTrigger } from '@relata/workflows';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReceiver, post, startReceiver } from '../webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let operator: Messaging;
beforeAll(async () => {
  receiver = await startReceiver();
  operator = new Messaging({ url: natsUrl(), name: 'operator' });
  await operator.connected(60_000);
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const status = async (id: string, secret: string, url = receiver.url) => (await post(url, id, { secret })).status;

describe('a unique secret', () => {
  async function rotate(id: string, overlapMs: number) {
    const context = { database: receiver.db.database, bus: busOn(operator) };
    const { secret } = await rotateTriggerSecret(context, operatorActor(receiver.orgId, 'test'), { id, overlapMs });
    await until(async () => expect(await status(id, secret!)).toBe(202));
    return secret!;
  }

  test('a unique secret that is rotated without overlap ends immediately in all notified receivers', async () => {
    const { trigger, secret } = await receiver.createUniqueTrigger();
    expect(await status(trigger.id, secret)).toBe(202);
    await rotate(trigger.id, 0);
    expect(await status(trigger.id, secret)).toBe(401);
  });

  test('a rotated secret is accepted during its overlap, and no later rotation extends it', async () => {
    const { trigger, secret: first } = await receiver.createUniqueTrigger();
    const second = await rotate(trigger.id, 3_600_000);
    expect([await status(trigger.id, first), await status(trigger.id, second)]).toEqual([202, 202]);
    const third = await rotate(trigger.id, 500);
    await until(async () => expect(await status(trigger.id, first)).toBe(401));
    expect([await status(trigger.id, second), await status(trigger.id, third)]).toEqual([401, 202]);
  });
});

test('a trigger has at most five valid secrets, and expired ones are deleted', async () => {
  const { trigger } = await receiver.createUniqueTrigger();
  const context = { database: receiver.db.database, bus: noopBus };
  const rotate = (overlapMs: number) =>
    rotateTriggerSecret(context, operatorActor(receiver.orgId, 'test'), { id: trigger.id, overlapMs });
  for (let secrets = 2; secrets <= 5; secrets++) await rotate(3_600_000);
  await expect(rotate(3_600_000)).rejects.toMatchObject({ code: 'conflict' });
  await rotate(0);
  const count = statement<{ count: number }>(
    'test.count_secrets',
    'SELECT count(*)::integer AS count FROM webhook_trigger_secrets WHERE trigger_id = $1',
  );
  expect(await receiver.db.database.query(count, [trigger.id])).toEqual([{ count: 1 }]);
});

describe('a shared key', () => {
  test('a trigger accepts its shared key, and no other key of the organization', async () => {
    const { trigger, secret } = await receiver.createSharedTrigger();
    const other = await receiver.createSharedTrigger();
    expect([await status(trigger.id, secret), await status(trigger.id, other.secret)]).toEqual([202, 401]);
  });

  test('a revoked shared key is refused, and a rotated key is accepted together with its successor', async () => {
    const { trigger, secret, keyId } = await receiver.createSharedTrigger();
    expect(await status(trigger.id, secret)).toBe(202);
    const rotated = await receiver.db.database.transaction((db) =>
      rotateApiKey(db, receiver.orgId, keyId, { overlapMs: 3_600_000 }),
    );
    operator.publish(keyChanged, { hash: hashCredential(secret) });
    await until(async () => expect(await status(trigger.id, rotated!.created.key)).toBe(202));
    expect(await status(trigger.id, secret)).toBe(202);
    await revokeApiKey(receiver.db.database, receiver.orgId, rotated!.created.id);
    operator.publish(keyChanged, { hash: hashCredential(rotated!.created.key) });
    await until(async () => expect(await status(trigger.id, rotated!.created.key)).toBe(401));
  });

  test('a trigger accepts no key of another organization', async () => {
    const { trigger } = await receiver.createSharedTrigger();
    const { id } = await createOrganization(receiver.db.database, 'Globex');
    const foreign = { name: 'theirs', kind: 'secret', scopes: ['webhook'] } as const;
    expect(await status(trigger.id, (await createApiKey(receiver.db.database, id, foreign)).key)).toBe(401);
  });
});

test('posts to a disabled trigger are answered with 404, also by a receiver without NATS', async () => {
  await using deaf = await openReceiver(receiver.db.url, { natsUrl: 'nats://127.0.0.1:1' });
  const { trigger, secret } = await receiver.createUniqueTrigger();
  expect(await status(trigger.id, secret, deaf.url)).toBe(202);
  const change = { id: trigger.id, isActive: false };
  await changeTrigger({ database: receiver.db.database, bus: noopBus }, operatorActor(receiver.orgId, 'test'), change);
  await until(async () => expect(await status(trigger.id, secret, deaf.url)).toBe(404));
});

describe('the limit', () => {
  const limited = { rateLimit: { points: 5, windowMs: 600_000 } };

  test('the limit of a trigger is shared by two receivers, and refused deliveries do not count', async () => {
    await using one = await openReceiver(receiver.db.url, limited);
    await using two = await openReceiver(receiver.db.url, limited);
    const { trigger, secret } = await receiver.createUniqueTrigger();
    for (let i = 0; i < 10; i++) {
      expect((await post(one.url, trigger.id, { secret: 'x' })).status).toBe(401);
      expect((await post(one.url, trigger.id, { secret, body: '[' })).status).toBe(400);
    }
    for (let i = 0; i < 5; i++) expect(await status(trigger.id, secret, one.url)).toBe(202);
    const refused = await post(one.url, trigger.id, { secret, body: '[' });
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate limit exceeded, try again later' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    await until(async () => expect(await status(trigger.id, secret, two.url)).toBe(429));
    const { trigger: other, secret: otherSecret } = await receiver.createUniqueTrigger();
    expect(await status(other.id, otherSecret, one.url)).toBe(202);
  });
});
