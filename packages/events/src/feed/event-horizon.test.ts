import type { Db } from '@relata/db';
import { expect, test } from 'vitest';
import { EventHorizon } from './event-horizon.ts';

/** A database whose looks are these, one after the other. */
function looking(...looks: { last_seq: number; writers?: string[]; server?: string }[]): Db {
  const rows = looks.map((look) => ({ writers: [], server: 'first', ...look }));
  return { query: async <Row>() => [rows.length > 1 ? rows.shift() : rows[0]] as Row[] };
}

test('numbers that a server gave out before it crashed are not taken for settled afterwards', async () => {
  const horizon = new EventHorizon();
  expect(await horizon.settled(looking({ last_seq: 105 }), 'org')).toBe(105);
  // It gives out 101 to 103 again, and the transaction that has them is still at work.
  expect(await horizon.settled(looking({ last_seq: 103, writers: ['3/7'], server: 'second' }), 'org')).toBe(0);
  expect(await horizon.settled(looking({ last_seq: 110, server: 'second' }), 'org')).toBe(110);
});

test('a look is settled once none of its writers is at work', async () => {
  const horizon = new EventHorizon();
  expect(await horizon.settled(looking({ last_seq: 5, writers: ['1/1'] }), 'org')).toBe(0);
  const looks = looking({ last_seq: 9, writers: ['2/2'] });
  expect(await horizon.settled(looks, 'org')).toBe(5);
});
