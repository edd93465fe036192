import { createOrganization } from '@relata/auth';
import { type Database, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { RecordLists } from './record-lists.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

const insert = statement<never>(
  'test.large_activity',
  `INSERT INTO custom_activities (org_id, id, content, source) SELECT $1, uuidv7(), repeat('x', $2), 'test'`,
);

async function organizationWith(length: number): Promise<string> {
  const { id } = await createOrganization(db.database, `With ${length}`);
  await db.database.query(insert, [id, length]);
  return id;
}

test('an organization reads one large page at a time, and any number of small ones, without delaying another', async () => {
  const [heavy, other, light] = await Promise.all([200_000, 200_000, 1_000].map(organizationWith));
  const reading: string[] = [];
  let gate = Promise.withResolvers<void>();
  const of = (orgId: string) => ({
    query: async (...args: Parameters<Database['query']>) => {
      reading.push(orgId);
      await gate.promise;
      return db.database.query(...args);
    },
  });
  const lists = new RecordLists({ of, scanOf: of } as unknown as Database, (error) => expect.fail(String(error)));
  const read = (orgId: string) => lists.list(orgId, customActivities, { limit: 10, offset: 0 });
  gate.resolve();
  // Only an earlier page shows that a list has large pages.
  await Promise.all([heavy!, other!, light!].map(read));
  reading.length = 0;
  gate = Promise.withResolvers();
  const pages = [heavy!, heavy!, heavy!, other!, light!, light!].map(read);
  await until(() => expect(reading).toHaveLength(4));
  expect(reading.toSorted()).toEqual([heavy!, other!, light!, light!].toSorted());
  gate.resolve();
  expect((await Promise.all(pages)).map(({ data }) => data.length)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(reading).toHaveLength(6);
});
