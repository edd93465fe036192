import { createOrganization } from '@relata/auth';
import { newId, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase } from '@relata/testing';
import { expect, test } from 'vitest';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { json, openLargeRuns } from '../runs/large-runs.harness.ts';
import { dropOldRefusals } from './refusal-retention.sql.ts';
import { countRefusals, storeRefusals } from './refusal.sql.ts';
import { listRefusals } from './refused-post.sql.ts';

const age = statement<never>(
  'test.age',
  `WITH counts AS (UPDATE webhook_refusal_counts SET day = day - $1::integer)
   UPDATE webhook_refusals SET refused_at = refused_at - make_interval(days => $1)`,
);

const countRows = statement<{ n: number }>('test.counts', 'SELECT count(*)::integer AS n FROM webhook_refusal_counts');

test('a refused post is listed for 7 days and then dropped', async () => {
  await using opened = await createTestDatabase();
  const { database } = opened;
  const { id: orgId } = await createOrganization(database, 'Acme');
  const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Form' });
  const refuse = () => {
    const of = { orgId, triggerId: trigger.id, reason: 'unauthorized' };
    const post = {
      message: 'No signature.',
      field: undefined,
      bytes: undefined,
      address: '192.0.2.1',
      body: undefined,
    };
    const refusal = { ...of, ...post, id: newId(), refusedAt: new Date(), isAuthorized: false, status: 401 };
    return storeRefusals(database, [refusal], [{ ...of, refused: 5 }]);
  };
  await refuse();
  await database.query(age, [4]);
  await refuse();
  expect(await countRefusals(database, orgId, trigger.id)).toMatchObject([
    { reason: 'unauthorized', refused: 10, last_message: 'No signature.' },
  ]);
  expect(await dropOldRefusals(database)).toBe(0);
  await database.query(age, [4]);
  expect(await countRefusals(database, orgId, trigger.id)).toMatchObject([{ refused: 5 }]);
  expect(await dropOldRefusals(database)).toBe(1);
  expect(await listRefusals(database, orgId, { limit: 10 })).toHaveLength(1);
  expect(await database.query(countRows, [])).toEqual([{ n: 1 }]);
});

test('large refused posts are dropped in statements that end in time, and then those of other organizations', async () => {
  await using db = await openLargeRuns();
  const organizations = [await db.createOrg(), await db.createOrg(), await db.createOrg()];
  for (const [i, posts] of [1, 60, 1].entries()) {
    const { orgId, triggerId } = organizations[i]!;
    await db.addRefusals(orgId, triggerId, { posts, body: json(500_000) });
  }
  await db.slowDown();
  expect(await dropOldRefusals(db.database)).toBe(62);
  expect(await db.sql('SELECT FROM webhook_refusals')).toEqual([]);
});
