import { createOrganization } from '@relata/auth';
import { type Database, type Db, firstIdAt, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { landmarksAtOnce, landmarkSpacing } from './landmark.sql.ts';
import { Landmarks } from './landmarks.ts';
import { RecordLists } from './record-lists.ts';

let db: TestDatabase;
let orgId: string;
let lists: RecordLists;
let landmarks: Landmarks;

const rows = 3.5 * landmarkSpacing;
const start = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
  const onError = (error: unknown) => expect.fail(String(error));
  lists = new RecordLists(db.database, onError);
  landmarks = new Landmarks(db.database, onError);
  await fill(orgId);
  await fill((await createOrganization(db.database, 'Globex')).id);
});
afterAll(() => db[Symbol.asyncDispose]());

const run = <Row>(sql: string, values: unknown[] = []) => db.database.query(statement<Row>('', sql), values);

/** Inserts records whose ids are ten seconds apart, so that other records fit between them. */
async function fill(org: string, count = rows): Promise<void> {
  const id = `(lpad(to_hex(${start} + i * 10000), 12, '0') || '70008000' || lpad('', 12, '0'))::uuid`;
  await run(
    `INSERT INTO accounts (org_id, id, account_name) SELECT $1, ${id}, 'Account ' || i FROM generate_series(0, $2::int - 1) i`,
    [org, count],
  );
}

const insertAt = (ms: number) =>
  run('INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, $3)', [orgId, firstIdAt(ms), 'between']);

const isLockTimeout = (error: unknown) => (error as { code?: string }).code === '55P03';

const positions = async () =>
  (
    await run<{ position: number }>('SELECT position FROM record_landmarks WHERE org_id = $1 ORDER BY position', [
      orgId,
    ])
  ).map(({ position }) => position);

/** Compares the page with the result of counting row by row. */
async function expectExact(offset: number): Promise<void> {
  const expected = await run<{ id: string }>(
    'SELECT id FROM accounts WHERE org_id = $1 ORDER BY id LIMIT 5 OFFSET $2',
    [orgId, offset],
  );
  const { data, total } = await lists.list(orgId, accounts, { limit: 5, offset });
  expect(data.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const [counted] = await run<{ n: number }>('SELECT count(*) AS n FROM accounts WHERE org_id = $1', [orgId]);
  expect(total).toBe(counted!.n);
}

const offsets = [1, landmarkSpacing - 1, landmarkSpacing, landmarkSpacing + 1, 25_000, 30_000, 34_999, 35_000, 40_000];

const all = [1, 2, 3].map((n) => n * landmarkSpacing);

/** Names of the statements that set all landmarks. */
const setting = Array.from({ length: Math.ceil(all.length / landmarksAtOnce) }, () => 'accounts.landmarks');

test('pages are the same with and without landmarks', async () => {
  for (const offset of offsets) await expectExact(offset);
  await landmarks.set(orgId, accounts, rows);
  expect(await positions()).toEqual(all);
  for (const offset of offsets) await expectExact(offset);
});

test('the first deep page is read after its landmarks are set', async () => {
  await run('DELETE FROM record_landmarks');
  const { given, read } = watchedLists();
  await read(rows);
  expect(given).toEqual(['landmarks.last', ...setting, 'accounts.page']);
  expect(await positions()).toEqual(all);
});

test('concurrent deep pages set landmarks together, and each waits only for the landmarks before it', async () => {
  await run('DELETE FROM record_landmarks');
  const { given, read } = watchedLists();
  await Promise.all([rows, 25_000, rows - 1, 31_000].map(read));
  expect(given.indexOf('accounts.page')).toBeLessThan(given.lastIndexOf('accounts.landmarks'));
  expect(given.filter((name) => name !== 'accounts.page')).toEqual(['landmarks.last', ...setting]);
});

test('landmarks are looked up once per depth, and set again after a long page', async () => {
  const { given, read } = watchedLists();
  for (const offset of [rows, 1_000_000, 25_000, 1_000_000]) await read(offset);
  expect(given.filter((name) => name === 'landmarks.last')).toHaveLength(2);
  await run('DELETE FROM record_landmarks');
  given.length = 0;
  await read(rows);
  expect(given).toEqual(['accounts.page']);
  await read(rows);
  expect(given).toEqual(['accounts.page', 'landmarks.last', ...setting, 'accounts.page']);
});

/** Creates the lists of a freshly started process, and records the names of the statements that it runs. */
function watchedLists() {
  const given: string[] = [];
  const watch = (on: Db): Db => ({
    query: (prepared, values) => {
      if (!/\.(limit_wait|lock)$/.test(prepared.name)) given.push(prepared.name);
      return on.query(prepared, values);
    },
  });
  const of = (org: string) => ({
    ...watch(db.database.of(org)),
    transaction: <Result>(work: (on: Db) => Promise<Result>) =>
      db.database.of(org).transaction((on) => work(watch(on))),
  });
  const scanOf = (org: string) => ({
    inOneSlot: <Result>(work: (on: Db) => Promise<Result>) =>
      db.database.scanOf(org).inOneSlot((on) => work(watch(on))),
  });
  const watched = new RecordLists({ of, scanOf } as unknown as Database, (error) => expect.fail(String(error)));
  return { given, read: (offset: number) => watched.list(orgId, accounts, { limit: 5, offset }) };
}

test('a row inserted before a landmark removes the landmarks after it, and pages stay exact', async () => {
  await landmarks.set(orgId, accounts, rows);
  await insertAt(start + 15_000 * 10_000 + 1);
  expect(await positions()).toEqual([landmarkSpacing]);
  for (const offset of offsets) await expectExact(offset);
});

test('a row deleted before a landmark removes the landmarks after it', async () => {
  await landmarks.set(orgId, accounts, rows);
  await run('DELETE FROM accounts WHERE org_id = $1 AND id = $2', [orgId, firstIdAt(start + 25_000 * 10_000)]);
  expect(await positions()).toEqual([landmarkSpacing, 2 * landmarkSpacing]);
  for (const offset of offsets) await expectExact(offset);
});

test('an insert that is rolled back removes no landmark', async () => {
  await landmarks.set(orgId, accounts, rows);
  const before = await positions();
  const undone = db.database.transaction(async (on) => {
    await on.query(statement('', 'INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, $3)'), [
      orgId,
      firstIdAt(start + 1),
      'x',
    ]);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await positions()).toEqual(before);
});

test('pages stay exact while rows are inserted between others and landmarks are set', async () => {
  const writers = Array.from({ length: 40 }, (_, i) => insertAt(start + ((i * 7_919) % rows) * 10_000 + 2 + i));
  // On a slow machine, writers may take too long. No landmark is set then, and an error is reported.
  const errors: unknown[] = [];
  const setting = new Landmarks(db.database, (error) => errors.push(error));
  const setters = Array.from({ length: 20 }, () =>
    setting.set(orgId, accounts, rows).then(() => expectTrueLandmarks()),
  );
  await Promise.all([...writers, ...setters]);
  expect(errors.filter((error) => !isLockTimeout(error))).toEqual([]);
  await landmarks.set(orgId, accounts, rows);
  await expectTrueLandmarks();
  for (const offset of offsets) await expectExact(offset);
});

/** Expects every landmark to be exact, within one snapshot. */
async function expectTrueLandmarks(): Promise<void> {
  const wrong = await run(
    `SELECT l.position FROM record_landmarks l WHERE l.org_id = $1
     AND l.position <> (SELECT count(*) FROM accounts r WHERE r.org_id = $1 AND r.id < l.id)`,
    [orgId],
  );
  expect(wrong).toEqual([]);
}

test('if a writer does not end, no landmark is set and a deep page is read without one', async () => {
  const errors: unknown[] = [];
  const patient = new RecordLists(db.database, (error) => errors.push(error));
  await run('DELETE FROM record_landmarks');
  await db.database.transaction(async (on) => {
    await on.query(statement('', 'INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, $3)'), [
      orgId,
      firstIdAt(start + 5),
      'slow',
    ]);
    const { data } = await patient.list(orgId, accounts, { limit: 5, offset: rows - 5 });
    expect(data).toHaveLength(5);
  });
  expect(errors).toEqual([expect.objectContaining({ code: '55P03' })]);
  expect(await positions()).toEqual([]);
});

test('rows of the last minute get no landmark, and deep pages may be long until a short page was read', async () => {
  const { id } = await createOrganization(db.database, 'Initech');
  await run(
    `INSERT INTO accounts (org_id, id, account_name) SELECT $1, uuidv7(), 'New ' || i FROM generate_series(1, $2::int) i`,
    [id, rows],
  );
  await landmarks.set(id, accounts, rows);
  expect(await run('SELECT 1 FROM record_landmarks WHERE org_id = $1', [id])).toEqual([]);
  expect(landmarks.mayBeLong(id, accounts, rows)).toBe(true);
  landmarks.note(id, accounts, { offset: rows, passedOver: 0 });
  expect(landmarks.mayBeLong(id, accounts, rows)).toBe(false);
});

test('a list can have more landmarks than one transaction sets', async () => {
  const { id } = await createOrganization(db.database, 'Umbrella');
  const count = (landmarksAtOnce + 1) * landmarkSpacing + 1;
  await fill(id, count);
  // Another replica sets landmarks at the same time. A deeper page arrives while the first replica sets its last ones.
  const errors: unknown[] = [];
  const replicas = [0, 1].map(() => new Landmarks(db.database, (error) => errors.push(error)));
  const [first, other] = replicas as [Landmarks, Landmarks];
  const shallow = first.set(id, accounts, 2.5 * landmarkSpacing);
  await Promise.all([shallow, first.set(id, accounts, count), other.set(id, accounts, count)]);
  expect(errors.filter((error) => !isLockTimeout(error))).toEqual([]);
  // A replica that waited too long for the other leaves the rest to the next deep page.
  for (const each of replicas) await each.set(id, accounts, count);
  const [set] = await run<{ n: number }>('SELECT count(*) AS n FROM record_landmarks WHERE org_id = $1', [id]);
  expect(set!.n).toBe(landmarksAtOnce + 1);
  expect(replicas.map((each) => each.mayBeLong(id, accounts, count))).toEqual([false, false]);
});

test('a deeper page that arrives while the last landmarks are set gets its landmarks, too', async () => {
  const { id } = await createOrganization(db.database, 'Hooli');
  const count = 6 * landmarkSpacing + 1;
  await fill(id, count);
  const joined: Promise<void>[] = [];
  const transaction = <Result>(work: (on: Db) => Promise<Result>) => {
    // The first transaction sets two landmarks. The second sets the third landmark, which the first page needs.
    if (++turns === 2) joined.push(joining.set(id, accounts, count));
    return db.database.of(id).transaction(work);
  };
  let turns = 0;
  const of = (org: string) => ({ query: db.database.of(org).query.bind(db.database.of(org)), transaction });
  const joining = new Landmarks({ of } as unknown as Database, (error) => expect.fail(String(error)));
  await joining.set(id, accounts, 3.5 * landmarkSpacing);
  await Promise.all(joined);
  expect(joined).toHaveLength(1);
  expect(joining.mayBeLong(id, accounts, count)).toBe(false);
});
