import { QueueFullError } from '@relata/runtime';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { statement } from '../statement.ts';
import type { SharedStatement } from './shared-statement.ts';
import type { UnitDb } from './unit-db.ts';
import { Executor, type Policy } from './executor.ts';

const ids = Array.from({ length: 20 }, (_, id) => id);
const marked = 13;
const deadlocks = 3;

/**
 * A database trigger that makes the first few inserts fail like victims of a deadlock. It counts them in a sequence,
 * since sequences are not rolled back.
 */
const addDeadlocks = [
  'CREATE SEQUENCE deadlocks',
  `CREATE FUNCTION deadlock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     IF nextval('deadlocks') <= ${deadlocks} THEN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END IF;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER deadlock BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.words = 'deadlock')
   EXECUTE FUNCTION deadlock()`,
];

let db: TestDatabase;
const own = (text: string) => db.owner.query(statement('', text), []);
beforeAll(async () => {
  db = await createTestDatabase();
  await own('CREATE TABLE notes (id integer PRIMARY KEY, words text)');
  await own('GRANT ALL ON notes TO PUBLIC');
  for (const text of addDeadlocks) await own(text);
});
afterAll(() => db[Symbol.asyncDispose]());

let executor: Executor;
let sizes: number[];
beforeEach(async () => {
  await own('TRUNCATE notes');
  sizes = [];
  executor = new Executor(db.database);
});

const insert = statement<{ id: number }>(
  'notes.insert_all',
  'INSERT INTO notes (id, words) SELECT * FROM unnest($1::integer[], $2::text[]) RETURNING id',
);
const read = statement<{ id: number }>('notes.read_all', 'SELECT id FROM notes ORDER BY id');
const lock = statement<{ id: number }>('notes.lock', 'SELECT id FROM notes WHERE id = $1 FOR UPDATE');
const boundWaits = statement<never>('', "SELECT set_config('lock_timeout', '20', true)");
const notes = async () => (await db.database.query(read, [])).map(({ id }) => id);

const inserts: SharedStatement<{ id: number; words: string }, number> = {
  async run(on, calls) {
    sizes.push(calls.length);
    const rows = await on.query(insert, [calls.map(({ id }) => id), calls.map(({ words }) => words)]);
    return rows.map(({ id }) => id);
  },
  wrote: () => true,
};
const note = (on: UnitDb, id: number, words = 'fine') => on.call(inserts, { id, words });
const run = <Result>(work: (on: UnitDb) => Promise<Result>) => executor.run({ orgId: 'an organization', run: work });

test('after a deadlock, the units of a transaction are repeated in smaller groups until all are committed (G6)', async () => {
  const results = ids.map((id) => run((on) => note(on, id, id === marked ? 'deadlock' : 'fine')));
  expect(await Promise.all(results)).toEqual(ids);
  expect(await notes()).toEqual(ids);
  expect(sizes[0]).toBe(ids.length);
});

test('a unit whose lock is not free in time fails alone, and the others of its transaction are committed (G6, G8)', async () => {
  const hot = 100;
  await db.database.query(insert, [[hot], ['hot']]);
  const locking = async (on: UnitDb) => {
    await on.query(boundWaits, []);
    return (await on.query(lock, [hot]))[0]!.id;
  };
  await db.owner.transaction(async (other) => {
    await other.query(lock, [hot]);
    const settled = await Promise.allSettled(
      ids.map((id) => run((on) => (id === marked ? locking(on) : note(on, id)))),
    );
    const failed = settled.flatMap((one, id) => (one.status === 'rejected' ? [[id, one.reason.code]] : []));
    expect(failed).toEqual([[marked, '55P03']]);
    expect(await notes()).toEqual([...ids.toSpliced(marked, 1), hot]);
  });
  expect(await run(locking)).toBe(hot);
});

test('two transactions that wait for each other are both committed, because one is repeated (G6)', async () => {
  await db.database.query(insert, [
    [1, 2],
    ['first', 'second'],
  ]);
  const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const crosswise = (at: number) => async (on: UnitDb) => {
    calls++;
    await on.query(lock, [1 + at]);
    locked[at]!.resolve();
    await locked[1 - at]!.promise;
    return (await on.query(lock, [2 - at]))[0]!.id;
  };
  const both = [0, 1].map((at) => executor.runAlone({ orgId: `organization ${at}`, run: crosswise(at) }));
  expect(await Promise.all(both)).toEqual([2, 1]);
  // Usually one unit runs again, once. It may run more often, if it locks its first row before the other unit has woken
  // up.
  expect(calls).toBeGreaterThanOrEqual(3);
});

/** Limits that a test can lower. */
const policy: Policy = {
  itemsMax: 100,
  partyMax: 25,
  flushers: 1,
  waitingMax: 100,
  weight: { batchMax: 1_000, waitingMax: 1_000 },
  whileLocked: 'wait',
  triesMax: 3,
};

test('while another organization has units too, a busy one gets at most its share of a transaction (G3)', async () => {
  const fair = new Executor(db.database, { policy: { ...policy, partyMax: 3 } });
  const batches: string[][] = [];
  const orgs: SharedStatement<string, undefined> = {
    run: (_on, calls) => {
      batches.push([...calls]);
      return Promise.resolve(calls.map(() => undefined));
    },
  };
  const unit = (orgId: string) => fair.run({ orgId, run: (on) => on.call(orgs, orgId) });
  await Promise.all([...ids.map(() => unit('busy')), unit('other')]);
  expect(batches[0]!.toSorted()).toEqual(['busy', 'busy', 'busy', 'other']);
});

test('units beyond the limit of waiting units are refused, and none of their work is done (G12)', async () => {
  const bounded = new Executor(db.database, { policy: { ...policy, waitingMax: 10 } });
  const settled = await Promise.allSettled(
    ids.map((id) => bounded.run({ orgId: 'an organization', run: (on) => note(on, id) })),
  );
  const refused = settled.filter((one) => one.status === 'rejected');
  expect(refused.length).toBeGreaterThanOrEqual(10);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(QueueFullError);
  expect(await notes()).toHaveLength(ids.length - refused.length);
});

test('a unit that is rolled back returns its result and leaves nothing behind (G8)', async () => {
  const unit = { orgId: 'an organization', run: (on: UnitDb) => note(on, 1) };
  expect(await executor.runAlone(unit, { rollsBack: true })).toBe(1);
  expect(await notes()).toEqual([]);
});

test('a plain call that conflicts with another transaction is repeated, and the calls sent with it are not lost (G6)', async () => {
  // The call conflicts six times before it is sent alone, and once more after that.
  let conflicts = 7;
  const plain: SharedStatement<number, number> = {
    async run(on, calls) {
      if (calls.includes(marked) && conflicts-- > 0) throw Object.assign(new Error('deadlock'), { code: '40P01' });
      await on.query(insert, [calls, calls.map(() => 'plain')]);
      return calls;
    },
    batching: {
      itemsMax: 100,
      flushers: 1,
      waitingMax: 100,
      partyOf: () => ['an organization'],
    },
  };
  const unit = (id: number) =>
    executor.run({ orgId: 'an organization', isPlain: true, run: (on) => on.call(plain, id) });
  expect(await Promise.all(ids.map(unit))).toEqual(ids);
  expect(await notes()).toEqual(ids);
});
