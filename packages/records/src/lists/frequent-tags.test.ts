import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contacts } from '../contacts/contact.table.ts';
import { RecordLists } from './record-lists.ts';

let db: TestDatabase;
let orgId: string;
let lists: RecordLists;
/** More than 20,000 contacts have each tag, and more than 10,000 each last name. */
const rows = 45_000;

const run = (sql: string) => db.owner.query(statement<{ id: string }>('', sql), []);

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Large')).id;
  lists = new RecordLists(db.database, (error) => expect.fail(String(error)));
  await run(`INSERT INTO contacts (org_id, id, first_name, last_name, tags)
    SELECT '${orgId}', uuidv7(), 'A', CASE WHEN i % 3 = 0 THEN 'Third' ELSE 'Other' END,
      ARRAY['all'] || CASE WHEN i % 2 = 0 THEN ARRAY['even'] ELSE '{}' END
        || CASE WHEN i <= ${rows} / 2 THEN ARRAY['early'] ELSE '{}' END
    FROM generate_series(1, ${rows}) i`);
}, 60_000);
afterAll(() => db[Symbol.asyncDispose]());

const isEarlyAndEven = `tags @> ARRAY['early', 'even']`;

test.each([
  [{ 'tags[all]': ['even', 'early'] }, isEarlyAndEven],
  [{ 'tags[all]': ['all', 'even', 'early'] }, isEarlyAndEven],
  [
    { 'tags[all]': ['even'], 'tags[any]': ['early'], 'last_name[prefix]': 'th' },
    `${isEarlyAndEven} AND last_name = 'Third'`,
  ],
  [{ 'tags[any]': ['even'], last_name: 'Third' }, `'even' = ANY (tags) AND last_name = 'Third'`],
  [{ 'tags[all]': ['early'], last_name: 'Other' }, `'early' = ANY (tags) AND last_name = 'Other'`],
])('the pages, total and summary of %j are those of all matches, however frequent its tags are', async (query, sql) => {
  const matching = `FROM contacts WHERE org_id = '${orgId}' AND ${sql}`;
  const total = (await run(`SELECT id ${matching}`)).length;
  expect(total).toBeGreaterThan(3_000);
  for (const sort of ['id', '-id', 'last_name']) {
    const order = { id: 'id', '-id': 'id DESC', last_name: 'lower(last_name), id' }[sort];
    const wanted = await run(`SELECT id ${matching} ORDER BY ${order} LIMIT 5 OFFSET 3`);
    const page = await lists.list(orgId, contacts, { ...query, sort, limit: 5, offset: 3, count: 'exact' });
    expect(page.data.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    expect(page.total).toBe(total);
  }
  const { all } = await lists.summarize(orgId, contacts, { ...query, count: 'exact', limit: 1 } as never, undefined);
  expect(all.count).toBe(total);
});
