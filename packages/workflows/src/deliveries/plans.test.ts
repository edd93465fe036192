import { createOrganization } from '@relata/auth';
import { type Db, type Statement, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleDeliveries } from '../triggers/preview.sql.ts';
import { createTrigger } from '../triggers/trigger.operations.ts';
import { readDeliveryBatch } from './delivery-batch.sql.ts';
import { findDeliveryOfHeader, listDeliveries, searchDeliveries } from './delivery.sql.ts';
import { listRefusals } from './refused-post.sql.ts';

let db: TestDatabase;
let orgId: string;
/** A trigger with far fewer deliveries than the others. */
let quiet: string;

/** Stores deliveries of several organizations and triggers in alternation. */
const deliver = statement<never>(
  'test.deliver',
  `INSERT INTO webhook_deliveries (org_id, id, trigger_id, body, headers)
   SELECT ($1::uuid[])[1 + i % cardinality($1)], uuidv7(), ($2::uuid[])[1 + i % cardinality($2)],
     convert_to(repeat('x', 200), 'UTF8'), '{}' FROM generate_series(1, $3::integer) i`,
);
const refuse = statement<never>(
  'test.refuse',
  `INSERT INTO webhook_refusals (org_id, id, trigger_id, refused_at, is_authorized, status, reason, message)
   SELECT $1::uuid, uuidv7(), trigger_id, now(), i % 2 = 0, 400, 'invalid_input', 'No.'
   FROM unnest($2::uuid[]) trigger_id, generate_series(1, 200) i`,
);

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
  const triggers: string[] = [];
  for (let at = 0; at < 30; at++) {
    const { trigger } = await createTrigger({ database: db.database }, operatorActor(orgId, 'test'), { name: 'Form' });
    triggers.push(trigger.id);
  }
  quiet = triggers[0]!;
  const others = await Promise.all(Array.from({ length: 10 }, otherOrganization));
  await db.database.query(deliver, [[orgId], [quiet], 3]);
  const all = [...triggers.slice(1, 5).map((trigger) => [orgId, trigger] as const), ...others];
  await db.database.query(deliver, [all.map(([org]) => org), all.map(([, trigger]) => trigger), 42_000]);
  await db.database.query(refuse, [orgId, triggers]);
  await db.owner.query(statement('test.analyze', 'ANALYZE webhook_deliveries, webhook_refusals'), []);
});
afterAll(() => db[Symbol.asyncDispose]());

async function otherOrganization(): Promise<readonly [orgId: string, triggerId: string]> {
  const { id } = await createOrganization(db.database, 'Other');
  const { trigger } = await createTrigger({ database: db.database }, operatorActor(id, 'test'), { name: 'Form' });
  return [id, trigger.id];
}

const bounds = { low: '00000000-0000-0000-0000-000000000000', high: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const ofOneTrigger: Record<string, (on: Db) => Promise<unknown>> = {
  'a list': (on) => listDeliveries(on, orgId, { triggerId: quiet, limit: 50 }),
  'a bounded list': (on) => searchDeliveries(on, orgId, { triggerId: quiet, outcome: 'failed', limit: 50 }),
  'a batch of a search': (on) =>
    readDeliveryBatch(on, orgId, { triggerId: quiet }, { ...bounds, rowsMax: 500, bytesMax: 1_000 }),
  'a sample': (on) => sampleDeliveries(on, orgId, quiet, 20, 1_000),
  'a search for a header': (on) => findDeliveryOfHeader(on, orgId, quiet, 'x', 'y'),
};

/** Returns the plans of all statements of `work` without running them. */
async function plansOf(work: (on: Db) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const watching: Db = {
    query: ({ text }: Statement<never>) => {
      texts.push(text);
      return Promise.resolve([]);
    },
  };
  await work(watching);
  const explain = (text: string) => statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${text}`);
  return db.owner.transaction(async (on) => {
    // Disables plans that the planner would not choose for millions of rows, such as sorting all of them for each page.
    for (const way of ['bitmapscan', 'sort']) await on.query(statement('', `SET LOCAL enable_${way} = off`), []);
    const lines: string[] = [];
    for (const text of texts) lines.push(...(await on.query(explain(text), [])).map((row) => row['QUERY PLAN']));
    return lines.join('\n');
  });
}

test.for(Object.keys(ofOneTrigger))('%s of a trigger does not read the rows of other triggers', async (name) => {
  const plans = await plansOf(ofOneTrigger[name]!);
  expect(plans).toMatch(/Index Scan Backward using webhook_deliveries_trigger/);
  expect(plans).not.toMatch(/Seq Scan on|Index Scan Backward using webhook_deliveries_pkey/);
});

test('refused posts of a trigger are its newest posts with and without the secret, whatever other triggers have refused since', async () => {
  const of = { triggerId: quiet, limit: 150 };
  const posts = await listRefusals(db.database, orgId, of);
  const ids = posts.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect(ids).toHaveLength(150);
  expect(new Set(posts.map((post) => post.trigger_id))).toEqual(new Set([quiet]));
  expect(await listRefusals(db.database, orgId, { ...of, before: ids.at(-1)! })).toHaveLength(50);
  const plans = await plansOf((on) => listRefusals(on, orgId, of));
  expect(plans.match(/Index Scan.* using webhook_refusals_trigger/g)).toHaveLength(2);
});
