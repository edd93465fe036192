import { randomUUID } from 'node:crypto';
import { createLog } from '@relata/runtime';
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
