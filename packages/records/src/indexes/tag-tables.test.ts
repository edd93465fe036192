import { createOrganization } from '@relata/auth';
import { statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { buildIndexes, dropIndex } from './build-indexes.ts';

let db: TestDatabase;
let orgId: string;
beforeEach(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Tagged')).id;
});
afterEach(() => db[Symbol.asyncDispose]());

const name = 'contacts.tags';
const run = (sql: string, on = db.owner) => on.query(statement<Record<string, unknown>>('', sql), []);
const build = () => buildIndexes({ url: db.ownerUrl });

/** Adds contacts. `tags` is SQL for the tags of contact number `i`. */
const insertContacts = (tags: string, count: number) =>
  run(`INSERT INTO contacts (org_id, id, first_name, last_name, tags)
    SELECT '${orgId}', uuidv7(), 'A', 'B', ${tags} FROM generate_series(1, ${count}) i`);

/** Returns the tags that only the records or only the table of tags has. */
async function differences(records = 'contacts', tags = 'contact_tags') {
  const all = `SELECT org_id, id, unnest(tags) AS tag FROM ${records}`;
  const stored = `SELECT org_id, id, tag FROM ${tags}`;
  return run(`(${all} EXCEPT ${stored}) UNION ALL (${stored} EXCEPT ${all})`);
}

/** Removes all rows of tags, as if the contacts were older than the table. */
async function forgetTags() {
  await dropIndex({ url: db.ownerUrl, name });
  await run('TRUNCATE contact_tags');
}

test.each([accounts, contacts, opportunities].map((table) => [table.name, table.valueTables['tags']!.name] as const))(
  'the table of tags follows every change of %s',
  async (records, tags) => {
    const required = { accounts: 'account_name', contacts: 'first_name, last_name', opportunities: 'opportunity_name' };
    const columns = required[records as keyof typeof required].split(', ');
    const account = records === 'opportunities' ? [', account_id', `, '${orgId}'`] : ['', ''];
    if (account[0]) await run(`INSERT INTO accounts (org_id, id, account_name) VALUES ('${orgId}', '${orgId}', 'A')`);
    const texts = columns.map(() => `'x'`).join(', ');
    const given = `CASE i % 4 WHEN 0 THEN '{}' WHEN 1 THEN ARRAY['a', 'a'] ELSE ARRAY['a', 'b', 'tag ' || i] END`;
    await run(`INSERT INTO ${records} (org_id, id, tags, ${columns.join(', ')}${account[0]})
      SELECT '${orgId}', uuidv7(), ${given}, ${texts}${account[1]} FROM generate_series(1, 40) i`);
    const stored = () => run(`SELECT tag, count(*)::int AS n FROM ${tags} WHERE tag < 'c' GROUP BY 1 ORDER BY 1`);
    expect(await stored()).toEqual([
      { tag: 'a', n: 30 },
      { tag: 'b', n: 20 },
    ]);
    await run(`UPDATE ${records} SET tags = array_remove(tags, 'b') || ARRAY['c', 'a'] WHERE 'b' = ANY (tags)`);
    expect(await differences(records, tags)).toEqual([]);
    await run(`UPDATE ${records} SET tags = '{}' WHERE 'tag 2' = ANY (tags)`);
    await run(`DELETE FROM ${records} WHERE 'tag 3' = ANY (tags)`);
    expect(await differences(records, tags)).toEqual([]);
    expect(await stored()).toEqual([{ tag: 'a', n: 28 }]);
    await run(`TRUNCATE ${records} CASCADE`);
    expect(await stored()).toEqual([]);
  },
);

test('contacts that are older than the table of tags get their rows before its index is ready', async () => {
  await insertContacts(`CASE WHEN i % 3 > 0 THEN ARRAY['x', 'tag ' || i] ELSE '{}' END`, 3_100);
  await forgetTags();
  expect(await build()).toEqual({ built: [name], failed: [] });
  expect(await differences()).toEqual([]);
});

test('tags that change while the table is filled are correct afterwards, and no writer is refused', async () => {
  await insertContacts(`ARRAY['old', 'tag ' || i]`, 6_000);
  await forgetTags();
  const ended = new AbortController();
  // Locks records in the opposite order of the build. The build must give way before PostgreSQL cancels either.
  const change = `WITH chosen AS MATERIALIZED (
      SELECT org_id, id FROM contacts ORDER BY id DESC OFFSET floor(random() * 5700) LIMIT 300 FOR UPDATE
    ) UPDATE contacts c SET tags = CASE WHEN 'old' = ANY (c.tags) THEN ARRAY['new'] ELSE ARRAY['old', 'x'] END
      FROM chosen WHERE c.org_id = chosen.org_id AND c.id = chosen.id`;
  const writers = [1, 2].map(async () => {
    while (!ended.signal.aborted) {
      await run(change, db.database);
      await run(
        `DELETE FROM contacts WHERE id = (SELECT id FROM contacts ORDER BY md5(id::text) LIMIT 1)`,
        db.database,
      );
    }
  });
  const built = await build();
  ended.abort();
  await Promise.all(writers);
  expect(built).toEqual({ built: [name], failed: [] });
  expect(await differences()).toEqual([]);
});

test('a build waits for a writer that keeps records locked, and then continues', async () => {
  await insertContacts(`ARRAY['old']`, 10);
  await forgetTags();
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = db.owner.transaction(async (writer) => {
    await writer.query(statement('', `UPDATE contacts SET tags = ARRAY['new']`), []);
    begun.resolve();
    await released.promise;
  });
  await begun.promise;
  const building = build();
  const waits = `SELECT FROM pg_stat_activity WHERE application_name = 'relata-indexes' AND wait_event_type = 'Lock'`;
  await until(async () => expect(await run(waits)).not.toEqual([]));
  released.resolve();
  await writing;
  expect(await building).toEqual({ built: [name], failed: [] });
  expect(await run('SELECT DISTINCT tag FROM contact_tags')).toEqual([{ tag: 'new' }]);
});

test('tags are written while a dump reads their table and a build waits for it', async () => {
  await forgetTags();
  await run('ALTER TABLE contact_tags REPLICA IDENTITY DEFAULT');
  const dumped = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const dump = db.owner.transaction(async (reader) => {
    await reader.query(statement('', 'LOCK TABLE contact_tags IN ACCESS SHARE MODE'), []);
    begun.resolve();
    await dumped.promise;
  });
  await begun.promise;
  const lines: string[] = [];
  const building = buildIndexes({ url: db.ownerUrl, log: (line) => lines.push(line) });
  await until(() => expect(lines.filter((line) => line.startsWith('A dump'))).toHaveLength(2));
  await insertContacts(`ARRAY['new']`, 1);
  dumped.resolve();
  await dump;
  expect((await building).failed).toEqual([]);
  expect(await run(`SELECT FROM pg_class WHERE relname = 'contact_tags' AND relreplident = 'i'`)).toHaveLength(1);
  expect(await differences()).toEqual([]);
});

test('an index of tags that was dropped or lost is ready again after a build, even if tags change meanwhile', async () => {
  await insertContacts(`ARRAY['old', 'tag ' || i]`, 10);
  await dropIndex({ url: db.ownerUrl, name });
  await run(`UPDATE contacts SET tags = ARRAY['new']`);
  expect(await build()).toEqual({ built: [name], failed: [] });
  expect(await differences()).toEqual([]);
  await run('DROP INDEX contact_tags_by_tag');
  await run(`UPDATE contacts SET tags = tags || ARRAY['added']`);
  await run('DELETE FROM contacts WHERE id = (SELECT id FROM contacts LIMIT 1)');
  expect(await build()).toEqual({ built: [name], failed: [] });
  expect(await differences()).toEqual([]);
});
