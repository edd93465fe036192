import { type Database, newId, statement } from '@relata/db';
import type { Log } from '@relata/runtime';
import { createTestDatabase, until } from '@relata/testing';
import { expect, test, vi } from 'vitest';
import { Retention } from './retention.ts';

const organization = statement<never>('test.organization', `INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`);

const insertEvent = statement<never>(
  'test.event',
  `INSERT INTO events (org_id, id, seq, created_at, type, record_id, actor)
   VALUES ($1, gen_random_uuid(), next_event($1), now() - make_interval(days => $2), 'account.updated',
     gen_random_uuid(), '{"type":"system"}')`,
);

const countEvents = statement<{ n: number }>('test.events', 'SELECT count(*)::integer AS n FROM events');

test('events are dropped after their own number of days, also where dropping deliveries fails', async () => {
  await using opened = await createTestDatabase();
  const { database } = opened;
  const orgId = newId();
  await database.query(organization, [orgId]);
  for (const days of [4, 2, 0]) await database.query(insertEvent, [orgId, days]);
  const query: Database['query'] = async (prepared, values) => {
    if (prepared.name === 'retention.cutoff') throw new Error('broken');
    return database.query(prepared, values);
  };
  const log = { info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>() };
  await using _retention = new Retention({
    database: { ...database, query },
    log: log as unknown as Log,
    deliveryDays: 1,
    eventDays: 3,
    idempotencyHours: 24,
    everyMs: 100,
  });
  await until(() => expect(log.info).toHaveBeenCalledWith({ events: 1 }, 'retention dropped old rows'));
  expect(log.warn).toHaveBeenCalledWith({ err: new Error('broken') }, 'retention failed');
  expect(await database.query(countEvents, [])).toEqual([{ n: 2 }]);
});
