import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { plansOf } from './plans.harness.ts';

let db: TestDatabase;
let orgId: string;
const rows = 2_000;

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Small')).id;
  const run = (sql: string) => db.owner.query(statement('', sql), []);
  // Without autovacuum, the planner has no statistics on the tags. It expects one record for each tag.
  await run('ALTER TABLE contacts SET (autovacuum_enabled = false)');
  await run('ALTER TABLE contact_tags SET (autovacuum_enabled = false)');
  await run(`INSERT INTO contacts (org_id, id, first_name, last_name, company, tags, created_at)
    SELECT '${orgId}', uuidv7(), 'A', 'Name ' || i % 10, 'Acme', ARRAY['a', 'b', 'c', 'd', 'e', 'f'], now()
    FROM generate_series(1, ${rows}) i`);
});
afterAll(() => db[Symbol.asyncDispose]());

const [two, six] = [
  ['a', 'b'],
  ['a', 'b', 'c', 'd', 'e', 'f'],
];

test.each([
  { 'tags[any]': ['a'], sort: 'last_name' },
  { 'tags[all]': two },
  { 'tags[all]': six, sort: '-last_name' },
  { 'tags[all]': two, 'owner_id[exists]': 'false' },
  { 'tags[any]': two, 'last_name[prefix]': 'name' },
  { 'tags[all]': two, 'tags[any]': six, sort: 'created_at' },
  { 'tags[any]': ['a'], q: 'acme' },
  { 'tags[all]': two, 'created_at[gte]': '2020-01-01T00:00:00Z', count: 'exact' as const },
])('a list with %j reads rows in proportion to the records, whatever the planner knows of its tags', async (query) => {
  const plans = await plansOf(db.database, orgId, contacts, { limit: 25, ...query }, { isAnalyzed: true });
  expect(plans.length).toBeGreaterThan(0);
  // Quadratic plans read millions of rows.
  for (const { statement: name, rowsRead } of plans) expect(rowsRead, name).toBeLessThanOrEqual(30 * rows);
});
