import { type Db, newId, statement } from '@relata/db';
import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { EventWatermark } from './event-watermark.ts';
import { lookAtEvents, readEvents } from './feed.sql.ts';

/** Returns a database whose looks have these results, one after the other. */
function looking(...looks: { last_seq: number; writers?: string[]; server?: string }[]): Db {
  const rows = looks.map((look) => ({ writers: [], server: 'first', ...look }));
  return { query: async <Row>() => [rows.length > 1 ? rows.shift() : rows[0]] as Row[] };
}

test('numbers drawn before a crash of the server do not count as settled afterwards', async () => {
  const watermark = new EventWatermark();
  expect(await watermark.settled(looking({ last_seq: 105 }), 'org')).toBe(105);
  // The server draws 101 to 103 again, in a transaction that is still active.
  expect(await watermark.settled(looking({ last_seq: 103, writers: ['3/7'], server: 'second' }), 'org')).toBe(0);
  expect(await watermark.settled(looking({ last_seq: 110, server: 'second' }), 'org')).toBe(110);
});

test('a look is settled once none of its writers is active', async () => {
  const watermark = new EventWatermark();
  expect(await watermark.settled(looking({ last_seq: 5, writers: ['1/1'] }), 'org')).toBe(0);
  const looks = looking({ last_seq: 9, writers: ['2/2'] });
  expect(await watermark.settled(looks, 'org')).toBe(5);
});

test('the known settled position is forgotten when the server changes', async () => {
  const watermark = new EventWatermark();
  await watermark.settled(looking({ last_seq: 9 }), 'org');
  watermark.show('org', 'first', [{ seq: 4 }, { seq: 8 }]);
  watermark.show('org', 'before', [{ seq: 20 }]);
  expect(watermark.shown('org')).toEqual({ settled: 8, server: 'first' });
  await watermark.settled(looking({ last_seq: 3, server: 'second' }), 'org');
  expect(watermark.shown('org')).toEqual({ settled: 0, server: 'second' });
});

test('a read returns nothing if another server answers', async () => {
  await using db = await createTestDatabase();
  const orgId = newId();
  await db.database.query(write, [orgId, newId()]);
  const [found] = await db.database.query(write, [orgId, newId()]);
  const range = { orgId, after: 0, upTo: found!.seq, isDescending: false, limit: 10, scan: 10 };
  const { server } = await lookAtEvents(db.database, orgId);
  expect(await readEvents(db.database, { ...range, server }, {})).toHaveLength(2);
  expect(await readEvents(db.database, { ...range, server: 'another' }, {})).toEqual([]);
});

const write = statement<{ seq: number }>(
  'test.write_event',
  `INSERT INTO events (org_id, id, seq, type, record_id, actor)
   VALUES ($1, $2, next_event($1), 'account.updated', $2, '{"type":"system"}') RETURNING seq`,
);
