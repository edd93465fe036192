import { type Database, openDatabase, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiKey, createApiKey, type KeyUse, listApiKeys, recordKeyUses } from './api-key.sql.ts';
import { createOrganization } from './organization.sql.ts';

let db: TestDatabase;
let orgId: string;

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
});
afterAll(() => db[Symbol.asyncDispose]());

const makeKeys = (count: number): Promise<ApiKey[]> =>
  Promise.all(
    Array.from({ length: count }, () => createApiKey(db.database, orgId, { name: 'k', kind: 'secret', scopes: [] })),
  );

/** Makes PostgreSQL look keys up one by one, as in a table that is too large to be scanned. */
async function chooseIndexes(): Promise<void> {
  const named = statement<{ name: string }>('', 'SELECT current_database() AS name');
  const [found] = await db.database.query(named, []);
  for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
    await db.owner.query(statement('', `ALTER DATABASE ${found!.name} SET enable_${way} = off`), []);
}

const waitingFor = statement<{ n: number }>(
  'test.waiting',
  `SELECT count(*)::integer AS n FROM pg_stat_activity
   WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'flushing'`,
);

test('two replicas that record uses of the same keys in opposite orders both succeed', async () => {
  await chooseIndexes();
  await using stack = new AsyncDisposableStack();
  const open = (): Database => stack.use(openDatabase({ url: db.url, name: 'flushing', poolMax: 1 }));
  const keys = (await makeKeys(3)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const uses: KeyUse[] = keys.map(({ id }) => ({ orgId, keyId: id, at: new Date().toISOString() }));
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  stack.defer(() => release());
  const middle = statement<never>('', 'SELECT FROM api_keys WHERE org_id = $1 AND id = $2 FOR UPDATE');
  const isHeld = Promise.withResolvers<void>();
  const holding = db.database.transaction(async (tx) => {
    await tx.query(middle, [orgId, keys[1]!.id]);
    isHeld.resolve();
    await held;
  });
  await isHeld.promise;
  // Each flush then has locked its first key, and waits for the middle key.
  const flushes = [recordKeyUses(open(), uses), recordKeyUses(open(), uses.toReversed())];
  await until(async () => expect((await db.database.query(waitingFor, []))[0]!.n).toBe(2));
  release();
  await holding;
  await expect(Promise.all(flushes)).resolves.toBeDefined();
  const noted = await listApiKeys(db.database, orgId);
  expect(noted.map(({ last_used_at: at }) => at)).toEqual(uses.map(({ at }) => at));
});

test('an earlier use does not replace a later one', async () => {
  const [made] = await makeKeys(1);
  const { id: keyId } = made!;
  const [earlier, later] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  for (const at of [later, earlier]) await recordKeyUses(db.database, [{ orgId, keyId, at }]);
  const found = (await listApiKeys(db.database, orgId)).find(({ id }) => id === keyId);
  expect(found!.last_used_at).toBe(later);
});
