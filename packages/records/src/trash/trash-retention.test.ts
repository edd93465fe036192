import { type Database, newId, statement } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { findOverdueTrash, purgeTrash } from './trash-retention.sql.ts';

let records: TestRecords;
beforeAll(async () => void (records = await openTestRecords()));
afterAll(() => records[Symbol.asyncDispose]());

const dayMs = 86_400_000;

const insert = statement<never>(
  'test.insert_trash',
  `INSERT INTO trash (org_id, id, resource, record, deletion_id, merged_into, deleted_at)
   SELECT $1, $2, 'contact', '{"first_name": "Ada"}', $2, $3, now() - make_interval(days => $4)`,
);
const insertLink = statement<never>(
  'test.insert_link',
  `INSERT INTO trash_links (org_id, id, resource, record_id, field, preceding)
   VALUES ($1, $2, 'opportunities', $2, 'contact_ids', '{}')`,
);
const list = statement<{ id: string; record: unknown }>('test.list_trash', 'SELECT id, record FROM trash ORDER BY id');
const countLinks = statement<{ n: number }>('test.count_links', 'SELECT count(*)::integer AS n FROM trash_links');

test('expired entries are purged with their links; the entry of a merged record keeps the id of the winner', async () => {
  const { database } = records.db;
  const [old, merged, young, other] = [newId(), newId(), newId(), newId()];
  await database.query(insert, [records.orgId, old, null, 31]);
  await database.query(insert, [records.orgId, merged, young, 31]);
  await database.query(insert, [records.orgId, young, null, 29]);
  await database.query(insert, [records.otherOrgId, other, null, 40]);
  expect(await findOverdueTrash(database, 30 * dayMs)).toBeCloseTo(10 * 86_400, -2);
  for (const id of [old, merged, young]) await database.query(insertLink, [records.orgId, id]);
  expect(await purgeTrash(database, 30 * dayMs)).toBe(3);
  expect(await database.query(list, [])).toEqual([
    { id: merged, record: null },
    { id: young, record: { first_name: 'Ada' } },
  ]);
  expect(await database.query(countLinks, [])).toEqual([{ n: 1 }]);
  expect(await purgeTrash(database, 30 * dayMs)).toBe(0);
  expect(await findOverdueTrash(database, 30 * dayMs)).toBe(0);
  expect(await purgeTrash(database, 0)).toBe(1);
});

test('a sweep purges more entries than fit into one statement', async () => {
  const { database, owner } = records.db;
  await owner.query(
    statement(
      '',
      `INSERT INTO trash (org_id, id, resource, record, deletion_id, deleted_at)
       SELECT $1, gen_random_uuid(), 'contact', '{}', gen_random_uuid(), now() - interval '40 days'
       FROM generate_series(1, 2500)`,
    ),
    [records.orgId],
  );
  expect(await purgeTrash(database, 30 * dayMs)).toBe(2_500);
});

test('a statement purges at most 10,000 links, and all links of an entry at once', async () => {
  const { database } = records.db;
  const ids = [newId(), newId(), newId(), newId()];
  for (const [i, id] of ids.entries()) await database.query(insert, [records.orgId, id, null, 50 - i]);
  const links = statement<never>(
    'test.insert_links',
    `INSERT INTO trash_links (org_id, id, resource, record_id, field, preceding)
     SELECT $1, $2, 'contacts', gen_random_uuid(), 'account_id', '{}' FROM generate_series(1, $3)`,
  );
  // A delete leaves fewer links. With 11,000, a single entry exceeds the limit of a statement.
  for (const [i, count] of [11_000, 6_000, 6_000].entries())
    await database.query(links, [records.orgId, ids[i], count]);
  const purged: number[] = [];
  const query: Database['query'] = async (prepared, values) => {
    const rows = await database.query(prepared, values);
    if (prepared.name === 'trash.purge_oldest') purged.push((rows[0] as unknown as { purged: number }).purged);
    return rows;
  };
  expect(await purgeTrash({ ...database, query }, 30 * dayMs)).toBe(4);
  expect(purged).toEqual([1, 1, 2]);
  expect(await database.query(countLinks, [])).toEqual([{ n: 0 }]);
});

test('if a purge fails for one organization, it purges all entries of the others and then throws', async () => {
  await using own = await openTestRecords();
  const { database, owner } = own.db;
  const fill = (orgId: string, entries: number) =>
    owner.query(
      statement(
        '',
        `INSERT INTO trash (org_id, id, resource, record, deletion_id, deleted_at)
         SELECT $1, gen_random_uuid(), 'contact', '{}', gen_random_uuid(), now() - interval '40 days'
         FROM generate_series(1, $2::int)`,
      ),
      [orgId, entries],
    );
  const ids = await database.query(
    statement<{ id: string }>('test.organizations', 'SELECT id FROM organizations ORDER BY ctid'),
    [],
  );
  const [broken, ...others] = ids.map(({ id }) => id);
  await fill(broken!, 1);
  for (const id of others) await fill(id, 2_500);
  await owner.query(
    statement(
      '',
      `DO $do$ BEGIN
         CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
         CREATE TRIGGER refuse BEFORE DELETE ON trash
           FOR EACH ROW WHEN (OLD.org_id = '${broken}') EXECUTE FUNCTION refuse();
       END $do$`,
    ),
    [],
  );
  expect(others.length).toBeGreaterThan(0);
  await expect(purgeTrash(database, 30 * dayMs)).rejects.toThrow('broken');
  expect(await database.query(list, [])).toHaveLength(1);
});
