import { createOrganization } from '@relata/auth';
import { firstIdAt, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { landmarkSpacing } from './landmark.sql.ts';
import { RecordLists } from './record-lists.ts';

let db: TestDatabase;
let orgId: string;
let lists: RecordLists;

const rows = 3.5 * landmarkSpacing;
const start = Date.UTC(2026, 0, 1);

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
  lists = new RecordLists(db.database, (error) => expect.fail(String(error)));
  await fill(orgId);
  await fill((await createOrganization(db.database, 'Globex')).id);
});
afterAll(() => db[Symbol.asyncDispose]());

const run = <Row>(sql: string, values: unknown[] = []) => db.database.query(statement<Row>('', sql), values);

/** Ids of ten seconds each, so that there is room between them. */
async function fill(org: string): Promise<void> {
  const id = `(lpad(to_hex(${start} + i * 10000), 12, '0') || '70008000' || lpad('', 12, '0'))::uuid`;
  await run(
    `INSERT INTO accounts (org_id, id, account_name) SELECT $1, ${id}, 'Account ' || i FROM generate_series(0, $2::int - 1) i`,
    [org, rows],
  );
}

const insertAt = (ms: number) =>
  run('INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, $3)', [orgId, firstIdAt(ms), 'between']);

const positions = async () =>
  (
    await run<{ position: number }>('SELECT position FROM record_landmarks WHERE org_id = $1 ORDER BY position', [
      orgId,
    ])
  ).map(({ position }) => position);

/** What the page must be, counted one by one. */
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

test('a deep page has landmarks set, and is the same before and after', async () => {
  await expectExact(rows);
  await until(async () => expect(await positions()).toEqual([1, 2, 3].map((n) => n * landmarkSpacing)));
  for (const offset of offsets) await expectExact(offset);
});

test('a row inserted before a landmark removes the landmarks after it, and pages stay exact', async () => {
  await lists.setLandmarks(orgId, accounts, rows);
  await insertAt(start + 15_000 * 10_000 + 1);
  expect(await positions()).toEqual([landmarkSpacing]);
  for (const offset of offsets) await expectExact(offset);
});

test('a row deleted before a landmark removes the landmarks after it', async () => {
  await lists.setLandmarks(orgId, accounts, rows);
  await run('DELETE FROM accounts WHERE org_id = $1 AND id = $2', [orgId, firstIdAt(start + 25_000 * 10_000)]);
  expect(await positions()).toEqual([landmarkSpacing, 2 * landmarkSpacing]);
  for (const offset of offsets) await expectExact(offset);
});

test('an insert that is rolled back removes no landmark', async () => {
  await lists.setLandmarks(orgId, accounts, rows);
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

test('pages stay exact while many write between and landmarks are set', { timeout: 60_000 }, async () => {
  const writers = Array.from({ length: 40 }, (_, i) => insertAt(start + ((i * 7_919) % rows) * 10_000 + 2 + i));
  // On a slow machine writers may take longer than a setter waits for them; then it sets none, and says so.
  const errors: unknown[] = [];
  const setting = new RecordLists(db.database, (error) => errors.push(error));
  const setters = Array.from({ length: 20 }, () =>
    setting.setLandmarks(orgId, accounts, rows).then(() => expectTrueLandmarks()),
  );
  await Promise.all([...writers, ...setters]);
  expect(errors.filter((error) => (error as { code?: string }).code !== '55P03')).toEqual([]);
  await lists.setLandmarks(orgId, accounts, rows);
  await expectTrueLandmarks();
  for (const offset of offsets) await expectExact(offset);
});

/** In one snapshot, every landmark says the truth. */
async function expectTrueLandmarks(): Promise<void> {
  const wrong = await run(
    `SELECT l.position FROM record_landmarks l WHERE l.org_id = $1
     AND l.position <> (SELECT count(*) FROM accounts r WHERE r.org_id = $1 AND r.id < l.id)`,
    [orgId],
  );
  expect(wrong).toEqual([]);
}

test('while a writer does not end, no landmark is set', async () => {
  const errors: unknown[] = [];
  const patient = new RecordLists(db.database, (error) => errors.push(error));
  await run('DELETE FROM record_landmarks');
  await db.database.transaction(async (on) => {
    await on.query(statement('', 'INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, $3)'), [
      orgId,
      firstIdAt(start + 5),
      'slow',
    ]);
    await patient.setLandmarks(orgId, accounts, rows);
  });
  expect(errors).toEqual([expect.objectContaining({ code: '55P03' })]);
  expect(await positions()).toEqual([]);
});
