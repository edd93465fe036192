import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../connections/database.ts';
import { statement } from '../statement.ts';
import { Executor } from './executor.ts';
import type { SharedStatement } from './shared-statement.ts';

let db: TestDatabase;
let database: Database;
const own = (text: string) => db.owner.query(statement('', text), []);
beforeAll(async () => {
  db = await createTestDatabase();
  await own('CREATE TABLE notes (id integer PRIMARY KEY)');
  await own('GRANT ALL ON notes TO PUBLIC');
  // The time limit of a statement is longer than the 3 s after which a waiting unit fails with the others.
  database = openDatabase({ url: db.url, name: 'impatient', connectTimeoutMs: 30_000, statementTimeoutMs: 3_500 });
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

let sizes: number[];
beforeEach(() => (sizes = []));

const insert = statement<never>('notes.insert', 'INSERT INTO notes (id) SELECT unnest($1::integer[])');
const lockNotes = statement<never>('', 'LOCK TABLE notes IN SHARE MODE');

const inserts: SharedStatement<number, number> = {
  async run(on, calls) {
    sizes.push(calls.length);
    await on.query(insert, [calls]);
    return calls;
  },
  wrote: () => true,
  batching: {
    itemsMax: 100,
    flushers: 1,
    waitingMax: 100,
    partyOf: () => ['an organization'],
  },
};

test.each([
  ['calls of one statement', { isPlain: true, atOnce: 1 }],
  ['units that share transactions', { isPlain: false, atOnce: 2 }],
])(
  '%s that wait behind a statement fail with it if PostgreSQL cancels it, instead of waiting as long again',
  async (_name, { isPlain, atOnce }) => {
    const executor = new Executor(database);
    const create = (id: number) =>
      executor.run({ orgId: 'an organization', isPlain, run: (on) => on.call(inserts, id) });
    await db.owner.transaction(async (holder) => {
      await holder.query(lockNotes, []);
      const creates: Promise<number>[] = [];
      for (let batch = 1; batch <= atOnce; batch++) {
        creates.push(create(batch));
        await until(() => expect(sizes).toHaveLength(batch));
      }
      creates.push(create(10), create(11));
      const settled = await Promise.allSettled(creates);
      expect(settled.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(creates.map(() => '57014'));
      expect(sizes).toEqual(Array.from({ length: atOnce }, () => 1));
    });
    expect(await create(20 + atOnce)).toBe(20 + atOnce);
  },
);

test('if the unit that waits for a key in PostgreSQL fails because of an outage, the units behind it fail, too', async () => {
  const executor = new Executor(database);
  const waits: boolean[] = [];
  const locking = () =>
    executor.run({
      orgId: 'an organization',
      run: (on) => {
        waits.push(on.waits);
        return on.lock(['a key']);
      },
    });
  await db.owner.transaction(async (holder) => {
    await holder.lock(['a key']);
    const settled = await Promise.allSettled([locking(), locking(), locking()]);
    expect(settled.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(['57014', '57014', '57014']);
    expect(waits).toEqual([false, false, false, true]);
  });
  await locking();
});
