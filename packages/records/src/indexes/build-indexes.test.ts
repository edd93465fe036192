import { type Database, openDatabase, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildIndexes, dropIndex } from './build-indexes.ts';
import { IndexCatalog } from './index-catalog.ts';
import { listIndexes } from './list-index.ts';
import { type IndexState, readIndexStates } from './list-index.sql.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db[Symbol.asyncDispose]());

const name = 'contacts.last_name';
const { index } = listIndexes.find((each) => each.name === name)!;
const build = (log?: (line: string) => void) => buildIndexes({ url: db.ownerUrl, ...(log && { log }) });
const run = (sql: string, on: Database = db.owner) => on.query(statement<Record<string, unknown>>('', sql), []);

async function stateOf(wanted: string): Promise<IndexState> {
  return (await readIndexStates(db.database)).find((each) => each.name === wanted)!.state;
}

/** Marks the index as invalid, as an interrupted build leaves it. */
const interrupt = () => run(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`);

/** Begins a transaction that has written to the table, and returns a function that ends it. */
async function writeToContacts(): Promise<() => Promise<void>> {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const writing = db.owner.transaction(async (writer) => {
    await writer.query(statement('', 'UPDATE contacts SET title = title'), []);
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  return async () => {
    ended.resolve();
    await writing;
  };
}

test('all indexes that are built by default are ready after a build', async () => {
  await build();
  const states = await readIndexStates(db.database);
  const ready = states.filter(({ state }) => state === 'ready').map((each) => each.name);
  expect(ready).toEqual(listIndexes.filter(({ isDefault }) => isDefault).map((each) => each.name));
  expect(states.every(({ state }) => state === 'ready' || state === 'missing')).toBe(true);
});

test('an index that is not built by default is built by its name', async () => {
  expect(await buildIndexes({ url: db.ownerUrl, names: ['accounts.updated_at'] })).toEqual({
    built: ['accounts.updated_at'],
    failed: [],
  });
  expect(await build()).toEqual({ built: [], failed: [] });
});

test('a dropped index is missing, and the next build creates it', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  expect(await stateOf(name)).toBe('missing');
  expect(await build()).toEqual({ built: [name], failed: [] });
});

test('an index whose build was interrupted is replaced', async () => {
  await interrupt();
  expect(await stateOf(name)).toBe('invalid');
  expect(await build()).toEqual({ built: [name], failed: [] });
  expect(await stateOf(name)).toBe('ready');
});

test('an index of the same name with other keys is replaced', async () => {
  await run(`DROP INDEX ${index}`);
  await run(`CREATE INDEX ${index} ON contacts (org_id, last_name, id)`);
  expect(await stateOf(name)).toBe('invalid');
  expect(await build()).toEqual({ built: [name], failed: [] });
});

test('an interrupted index that is not built by default is replaced, but never built unasked', async () => {
  const wanted = 'accounts.updated_at';
  await buildIndexes({ url: db.ownerUrl, names: [wanted] });
  await run(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'accounts_by_updated_at'::regclass`);
  expect(await build()).toEqual({ built: [wanted], failed: [] });
  await dropIndex({ url: db.ownerUrl, name: wanted });
  expect(await build()).toEqual({ built: [], failed: [] });
});

test('a builder that waits for another builder logs this once', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  const end = await writeToContacts();
  const first = build();
  await until(async () => expect(await stateOf(name)).toBe('building'));
  const lines: string[] = [];
  const second = build((line) => lines.push(line));
  await until(() => expect(lines).toEqual(['Waiting for another process that builds indexes']));
  await end();
  expect([(await first).built, (await second).built]).toEqual([[name], []]);
  expect(lines).toHaveLength(1);
});

test('concurrent builders build each index once', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  await dropIndex({ url: db.ownerUrl, name: 'users.email' });
  const results = await Promise.all([build(), build(), build()]);
  expect(results.flatMap(({ built }) => built).toSorted()).toEqual([name, 'users.email']);
  expect(results.flatMap(({ failed }) => failed)).toEqual([]);
});

test('rows are read and written while an index is built', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  const end = await writeToContacts();
  const lines: string[] = [];
  const building = build((line) => lines.push(line));
  await until(async () => expect(await stateOf(name)).toBe('building'));
  await run('UPDATE contacts SET title = title', db.database);
  await end();
  expect(await building).toMatchObject({ built: [name] });
  expect(lines).toEqual([`Building ${name}`, expect.stringMatching(`^Built ${name} in`)]);
});

test('a builder waits for a build that a killed process left running, and does not repeat it', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  const end = await writeToContacts();
  await using killed = openDatabase({ url: db.ownerUrl, name: 'killed' });
  const left = run(
    `CREATE INDEX CONCURRENTLY ${index} ON ${listIndexes.find((each) => each.name === name)!.sql}`,
    killed,
  );
  await until(async () => expect(await stateOf(name)).toBe('building'));
  const lines: string[] = [];
  const building = build((line) => lines.push(line));
  await until(() => expect(lines).toEqual([`${name} is being built`]));
  await end();
  await left;
  expect(await building).toEqual({ built: [], failed: [] });
});

test('a failure is reported, and does not prevent the other indexes', async () => {
  await dropIndex({ url: db.ownerUrl, name });
  await dropIndex({ url: db.ownerUrl, name: 'users.email' });
  await run(`CREATE VIEW ${index} AS SELECT`);
  const { built, failed } = await build();
  expect({ built, failed: failed.map((each) => each.name) }).toEqual({ built: ['users.email'], failed: [name] });
});

test('a process learns of new and dropped indexes, and keeps what it knows during an outage', async () => {
  const database = openDatabase({ url: db.url, name: 'test' });
  await using catalog = new IndexCatalog(database, () => undefined);
  expect({ isKnown: catalog.isKnown, isReady: catalog.isReady(name) }).toEqual({ isKnown: false, isReady: false });
  await catalog.read();
  expect({ isKnown: catalog.isKnown, isReady: catalog.isReady(name) }).toEqual({ isKnown: true, isReady: true });
  await interrupt();
  await catalog.read();
  expect(catalog.isReady(name)).toBe(false);
  await build();
  await catalog.read();
  expect(catalog.isReady(name)).toBe(true);
  await database[Symbol.asyncDispose]();
  await expect(catalog.read()).rejects.toThrow('end');
  expect(catalog.isReady(name)).toBe(true);
});
