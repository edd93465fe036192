import { randomUUID } from 'node:crypto';
import { hashCredential } from '@relata/auth';
import type { Database } from '@relata/db';
import { keyChanged, Messaging, triggersChanged } from '@relata/messaging';
import { createLog } from '@relata/runtime';
import { natsUrl, until } from '@relata/testing';
import { expect, test, vi } from 'vitest';
import { TriggerCache } from './trigger-cache.ts';
import { startReceiver } from '../webhook-ingest.harness.ts';

test('made-up ids do not evict existing triggers from the cache', async () => {
  await using receiver = await startReceiver();
  const { trigger } = await receiver.createUniqueTrigger();
  const log = createLog({ name: 'test', level: 'silent' });
  const cache = new TriggerCache({ db: receiver.db.database, messaging: receiver.receiver.messaging, log });
  // Stops the clock, so that no entry expires, even on a slow machine.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    expect(await cache.find(trigger.id)).toMatchObject({ id: trigger.id });
    for (let i = 0; i < 11_000; i += 500) {
      const found = await Promise.all(Array.from({ length: 500 }, async () => cache.find(randomUUID())));
      expect(new Set(found)).toEqual(new Set([undefined]));
    }
    expect(cache.find(trigger.id)).toMatchObject({ id: trigger.id });
  } finally {
    clock.mockRestore();
  }
});

/** Starts a cache, and counts how often it runs each statement. The messages come from another process. */
async function openCache() {
  const stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const operator = stack.use(new Messaging({ url: natsUrl(), name: 'operator' }));
  await operator.connected(60_000);
  const { database } = receiver.db;
  const counts: Record<string, number> = {};
  const query: Database['query'] = (prepared, values) => {
    counts[prepared.name] = (counts[prepared.name] ?? 0) + 1;
    return database.query(prepared, values);
  };
  const log = createLog({ name: 'test', level: 'silent' });
  const cache = new TriggerCache({ db: { ...database, query }, messaging: receiver.receiver.messaging, log });
  const isCached = (id: string) => !(cache.find(id) instanceof Promise);
  return { receiver, operator, cache, counts, isCached, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('the definition of a version is read once, however often the trigger is looked up', async () => {
  await using opened = await openCache();
  const { receiver, operator, cache, counts } = opened;
  const { trigger } = await receiver.createUniqueTrigger();
  const inputs = { email: { type: 'string', required: true } };
  const publish = (more: object) =>
    receiver.assign(trigger.id, { name: 'lead', inputs: { ...inputs, ...more } }, { email: 'payload.email' });
  const inputsOf = async () => {
    operator.publish(triggersChanged, { ids: [trigger.id] });
    const found = await until(async () => {
      const looks = counts['webhook_triggers.open'] ?? 0;
      const known = await cache.find(trigger.id);
      // The message has arrived once the trigger is looked up again.
      expect(counts['webhook_triggers.open']).toBe(looks + 1);
      return known;
    });
    return found!.assignments[0]!.sources.map(({ input }) => input);
  };
  await publish({});
  for (let i = 0; i < 3; i++) expect(await inputsOf()).toEqual(['email']);
  expect(counts['workflow_versions.find']).toBe(1);
  await publish({ phone: { type: 'string' } });
  expect(await inputsOf()).toEqual(['email', 'phone']);
  expect(counts['workflow_versions.find']).toBe(2);
});

test('a changed key evicts only the triggers that accept it', async () => {
  await using opened = await openCache();
  const { receiver, operator, cache, isCached } = opened;
  const [shared, other] = [await receiver.createSharedTrigger(), await receiver.createUniqueTrigger()];
  // Stops the clock, so that no entry expires, even on a slow machine.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    for (const { trigger } of [shared, other]) await cache.find(trigger.id);
    operator.publish(keyChanged, { hash: hashCredential(shared.secret) });
    await until(() => expect(isCached(shared.trigger.id)).toBe(false));
    expect(isCached(other.trigger.id)).toBe(true);
  } finally {
    clock.mockRestore();
  }
});
