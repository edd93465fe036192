import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { statement } from '../statement.ts';

test('no connection caches event numbers, since a reader may already be past them', async () => {
  await using db = await createTestDatabase();
  const text = `SELECT cache_size FROM pg_sequences WHERE sequencename = 'event_seq'`;
  expect(await db.owner.query(statement('', text), [])).toEqual([{ cache_size: 1 }]);
});
