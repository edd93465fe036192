import { type Database, newId, statement } from '@relata/db';
import { createMetrics, type Log } from '@relata/runtime';
import { createTestDatabase, until } from '@relata/testing';
import { expect, test, vi } from 'vitest';
import { measureRetention } from './retention.metrics.ts';
import { readOverdue, startRetention } from './retention.ts';

const organization = statement<never>('test.organization', `INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`);

const insertEvent = statement<never>(
  'test.event',
  `INSERT INTO events (org_id, id, seq, created_at, type, record_id, actor)
   VALUES ($1, gen_random_uuid(), next_event($1), now() - make_interval(days => $2), 'account.updated',
     gen_random_uuid(), '{"type":"system"}')`,
);

const countEvents = statement<{ n: number }>('test.events', 'SELECT count(*)::integer AS n FROM events');

const days = { deliveryDays: 1, eventDays: 3, trashDays: 30 };

test('if deleting deliveries fails, events are still deleted and counts folded, and metrics show the failed kind', async () => {
  await using opened = await createTestDatabase();
  const { database } = opened;
  const orgId = newId();
  await database.query(organization, [orgId]);
  for (const days of [4, 2, 0]) await database.query(insertEvent, [orgId, days]);
  const sent = new Set<string>();
  const query: Database['query'] = async (prepared, values) => {
    sent.add(prepared.name);
    if (prepared.name === 'retention.cutoff') throw new Error('broken');
    return database.query(prepared, values);
  };
  const metrics = createMetrics('test');
  const read = async (name: string) => {
    const { values } = await metrics.getSingleMetric(name)!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels['kind'], value]));
  };
  const measured = measureRetention(metrics, () => readOverdue(database, days));
  expect(await read('retention_last_success_timestamp_seconds')).toMatchObject({ deliveries: 0, events: 0 });
  expect(await read('retention_overdue_seconds')).toEqual({
    runs: 0,
    deliveries: 0,
    events: expect.closeTo(86_400, -2),
    trash: 0,
  });
  const log = { info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>() };
  await using _retention = startRetention({
    database: { ...database, query },
    log: log as unknown as Log,
    onSuccess: measured,
    ...days,
    idempotencyHours: 24,
    everyMs: 100,
  });
  await until(() => expect(log.info).toHaveBeenCalledWith({ events: 1 }, 'retention dropped old rows'));
  expect(log.warn).toHaveBeenCalledWith({ err: new Error('broken'), kind: 'deliveries' }, 'retention failed');
  expect(sent).toContain('trigger_counts.fold');
  expect(await database.query(countEvents, [])).toEqual([{ n: 2 }]);
  const succeeded = await read('retention_last_success_timestamp_seconds');
  expect(succeeded).toMatchObject({ deliveries: 0, people: expect.closeTo(Date.now() / 1_000, -2) });
  expect(await readOverdue(database, days)).toMatchObject({ events: 0 });
});

test('if a part of a kind cannot be deleted, its other parts are deleted nevertheless', async () => {
  await using opened = await createTestDatabase();
  const { database } = opened;
  const broken = new Set(['sessions.drop', 'notices.drop_old']);
  const sent = new Set<string>();
  const query: Database['query'] = async (prepared, values) => {
    if (broken.has(prepared.name)) throw new Error('broken');
    const rows = await database.query(prepared, values);
    sent.add(prepared.name);
    return rows;
  };
  await database.query(organization, [newId()]);
  const log = { info: vi.fn<Log['info']>(), warn: vi.fn<Log['warn']>() };
  await using _retention = startRetention({
    database: { ...database, query },
    log: log as unknown as Log,
    onSuccess: measureRetention(createMetrics('test'), () => readOverdue(database, days)),
    ...days,
    idempotencyHours: 24,
    everyMs: 100,
  });
  for (const kind of ['notices', 'people'])
    await until(() => expect(log.warn).toHaveBeenCalledWith({ err: new Error('broken'), kind }, 'retention failed'));
  expect([...sent]).toEqual(expect.arrayContaining(['links.drop', 'failed_run_notes.drop_old']));
});
