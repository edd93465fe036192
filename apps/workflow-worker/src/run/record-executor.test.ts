import { type Attempt, type Database, type Executor, LockedError, newId, statement, type UnitDb } from '@relata/db';
import { Slots } from '@relata/runtime';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { LeaseLostError } from '@relata/workflows/execution';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { LateFailure } from './interruption.ts';
import { openRecordExecutor } from './record-executor.ts';

type Work<Result> = (on: UnitDb, attempt: Attempt) => Promise<Result>;

let db: TestDatabase;
let database: Database;
beforeAll(async () => {
  db = await createTestDatabase();
  database = db.database;
  await db.owner.query(statement('', 'CREATE TABLE notes (id integer PRIMARY KEY)'), []);
  await db.owner.query(statement('', 'GRANT ALL ON notes TO PUBLIC'), []);
});
afterAll(() => db[Symbol.asyncDispose]());

let sizes: number[];
let alone: Slots;
let executor: Executor;
beforeEach(async () => {
  sizes = [];
  alone = new Slots(2);
  executor = openRecordExecutor(database, alone, (runs) => sizes.push(runs));
  await db.owner.query(statement('', 'TRUNCATE notes'), []);
});

const insert = statement<{ id: number }>('notes.insert', 'INSERT INTO notes (id) VALUES ($1) RETURNING id');
const read = statement<{ id: number }>('notes.read', 'SELECT id FROM notes ORDER BY id');
const transactions = statement<{ n: number }>('', 'SELECT count(DISTINCT xmin::text) AS n FROM notes');
const notes = async () => (await database.query(read, [])).map(({ id }) => id);

const note =
  (id: number): Work<number> =>
  async (on) =>
    (await on.query(insert, [id]))[0]!.id;

/** Locks a key in another transaction. Returns a function that ends the transaction. */
async function holdKey(key: string): Promise<() => Promise<void>> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.owner.transaction(async (on) => {
    await on.lock([key]);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return () => (released.resolve(), holding);
}

const orgId = newId();
const reset = () => Promise.resolve();
const together = <Result>(orgId: string, run: Work<Result>) => executor.run({ orgId, run, reset });
const byItself = <Result>(orgId: string, run: Work<Result>) => executor.runAlone({ orgId, run, reset });
const share = (works: readonly Work<number>[]) => Promise.allSettled(works.map((work) => together(orgId, work)));
const reasons = (settled: readonly PromiseSettledResult<number>[]) =>
  settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'committed'));

test('runs that wait at the same time share a transaction, of at most 32 runs', async () => {
  await share(Array.from({ length: 40 }, (_, id) => note(id)));
  expect(await notes()).toHaveLength(40);
  expect(sizes).toEqual([32, 8]);
  expect(await database.query(transactions, [])).toEqual([{ n: 2 }]);
});

test('while other organizations have runs, too, an organization has at most a quarter of a transaction', async () => {
  const many = Array.from({ length: 40 }, (_, id) => together(orgId, note(id)));
  await Promise.all([...many, together(newId(), note(40))]);
  expect(sizes[0]).toBe(9);
});

test('an organization with one run does not wait for all runs of another', async () => {
  const ended: string[] = [];
  const other = newId();
  const runs = Array.from({ length: 64 }, (_, id) => together(orgId, note(id)).then(() => ended.push('many')));
  const one = together(other, note(64)).then(() => ended.push('one'));
  await Promise.all([...runs, one]);
  expect(ended.indexOf('one')).toBeLessThan(32);
});

test('a run is asked to end a long turn only if other runs wait (G11)', async () => {
  const busy: Work<number> = (_on, { isOver }) => {
    const until = performance.now() + 30;
    while (performance.now() < until);
    return Promise.resolve(isOver() ? 1 : 0);
  };
  expect(await together(orgId, busy)).toBe(0);
  const [first, second] = await Promise.all([busy, note(1)].map((member) => together(orgId, member)));
  expect([first, second]).toEqual([1, 1]);
});

test('a run that fails before it writes leaves the others alone', async () => {
  const failing: Work<number> = async (on) => {
    await on.query(read, []);
    throw new TypeError('wrong');
  };
  expect(reasons(await share([note(1), failing, note(3)]))).toEqual(['committed', 'TypeError', 'committed']);
  expect(await notes()).toEqual([1, 3]);
});

test('a run that is lost after it wrote fails alone; the others are executed again together and committed (G8, G9)', async () => {
  const calls: number[] = [];
  const resets: number[] = [];
  const late = (id: number, error?: Error) =>
    executor.run({
      orgId,
      run: async (on) => {
        calls.push(id);
        await on.query(insert, [id]);
        if (error) throw error;
        return id;
      },
      reset: () => Promise.resolve(void resets.push(id)),
    });
  const settled = await Promise.allSettled([
    late(1),
    late(2, new LeaseLostError()),
    late(3, new LateFailure(new Error())),
    late(4),
  ]);
  expect(reasons(settled)).toEqual(['committed', 'LeaseLostError', 'LateFailure', 'committed']);
  expect(await notes()).toEqual([1, 4]);
  expect(calls.slice(0, 6)).toEqual([1, 2, 3, 4, 1, 4]);
  expect(resets).toEqual(calls.slice(4));
  expect(sizes).toEqual([4, 2, 1, 1]);
});

test('if a shared statement fails, only the run at fault fails, after one more attempt alone', async () => {
  const attempts: boolean[] = [];
  const bad: Work<number> = async (on, { isRetry }) => {
    attempts.push(isRetry);
    return note(1)(on, { isRetry, isOver: () => false });
  };
  await note(1)(database as unknown as UnitDb, { isRetry: false, isOver: () => false });
  expect(reasons(await share([note(2), bad, note(3), note(4)]))).toEqual([
    'committed',
    'error',
    'committed',
    'committed',
  ]);
  expect(await notes()).toEqual([1, 2, 3, 4]);
  expect(attempts.at(-1)).toBe(true);
  expect(attempts.filter(Boolean)).toHaveLength(1);
});

test('a run that waits for a locked key holds no slot, and the runs behind it share one transaction (G10)', async () => {
  const release = await holdKey('hot');
  const hot =
    (id: number): Work<number> =>
    async (on, attempt) => {
      await on.lock([`hot`]);
      return note(id)(on, attempt);
    };
  const waiting = [share([hot(1), hot(2), hot(3)]), byItself(orgId, hot(4))] as const;
  await until(() => expect(sizes.length).toBeGreaterThan(3));
  expect([await notes(), alone.waiting]).toEqual([[], 0]);
  await release();
  await Promise.all(waiting);
  expect(await notes()).toEqual([1, 2, 3, 4]);
});

test('a run that had a conflict and then needs a locked key waits for it like any other run (G6, G10)', async () => {
  const release = await holdKey('hot');
  let calls = 0;
  const running = together(orgId, async (on, attempt) => {
    if (calls++ === 0) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    await on.lock(['hot']);
    return note(1)(on, attempt);
  });
  try {
    await until(() => expect(calls).toBeGreaterThan(2));
  } finally {
    await release();
  }
  expect(await running).toBe(1);
});

test('a run that is too large for a shared transaction waits for locked keys in its own transaction, and does not delay the others', async () => {
  const hot = newId();
  const release = await holdKey(hot);
  const large: Work<number> = async (on) => {
    if (!on.waits) throw new LockedError(undefined, { isBulk: true });
    await on.lock([hot]);
    return (await on.query(insert, [1]))[0]!.id;
  };
  const run = together(orgId, large);
  expect(await together(orgId, note(2))).toBe(2);
  await release();
  expect(await run).toBe(1);
  expect(await notes()).toEqual([1, 2]);
});

test('a run that is stopped while it waits for a locked key ends soon', async () => {
  const release = await holdKey('hot');
  const stop = new AbortController();
  const unit = { orgId, signal: stop.signal, run: (on: UnitDb) => on.lock(['hot']), reset };
  const waiting = Promise.allSettled([executor.run(unit), executor.run(unit)]);
  await until(() => expect(sizes.length).toBeGreaterThan(1));
  stop.abort();
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await release();
});

/** Returns a generator of pseudorandom numbers from 0 to below `max`; the same seed yields the same numbers. */
function numbers(seed: number) {
  let state = seed;
  return (max: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * max);
  };
}

type Kind = 'fine' | 'early' | 'late' | 'statement' | 'deadlock' | 'no reset';

test('with any combination of faulty units, every sound unit is committed once, and a faulty unit leaves no rows', async () => {
  const conflict = () => Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const kinds: Kind[] = ['fine', 'fine', 'fine', 'early', 'late', 'statement', 'deadlock', 'no reset'];
  for (let seed = 1; seed <= 12; seed++) {
    const next = numbers(seed);
    const given = Array.from({ length: 2 + next(40) }, (_, at) => ({ id: at * 10, kind: kinds[next(kinds.length)]! }));
    const settled = await Promise.allSettled(
      given.map(({ id, kind }) => {
        // Like the walk of a run, this position must be reset before each attempt.
        let written = 0;
        let deadlocks = 2;
        return executor.run({
          orgId,
          async run(on, attempt) {
            if (written !== 0) throw new Error('It was not reset.');
            if (kind === 'early') throw new TypeError('early');
            for (let n = 0; n < 3; n++, written++) await note(id + n)(on, attempt);
            if (kind === 'deadlock' && deadlocks-- > 0) throw conflict();
            if (kind === 'statement') await note(id)(on, attempt);
            if (kind === 'late') throw new LateFailure(new Error());
            return id;
          },
          reset: () =>
            kind === 'no reset' ? Promise.reject(new RangeError('no room')) : Promise.resolve(void (written = 0)),
        });
      }),
    );
    const isIn = (_: unknown, at: number) => settled[at]!.status === 'fulfilled';
    expect(await notes()).toEqual(given.filter(isIn).flatMap(({ id }) => [id, id + 1, id + 2]));
    for (const [at, { kind }] of given.entries()) expect(ends[kind], kind).toContain(reasons([settled[at]!])[0]);
    await db.owner.query(statement('', 'TRUNCATE notes'), []);
  }
});

const ends: Record<Kind, string[]> = {
  fine: ['committed'],
  early: ['TypeError'],
  late: ['LateFailure'],
  statement: ['error'],
  deadlock: ['committed'],
  // The unit fails if another unit causes a rollback, because the reset that follows throws.
  'no reset': ['committed', 'RangeError'],
};

test('an organization has at most half of the slots for separate units, so another organization does not wait', async () => {
  const begun: string[] = [];
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const member = (name: string): Work<void> => {
    return async () => {
      begun.push(name);
      if (name === 'first') await ending;
    };
  };
  const [orgId, otherOrgId] = [newId(), newId()];
  const first = byItself(orgId, member('first'));
  const second = byItself(orgId, member('second'));
  await byItself(otherOrgId, member('other'));
  await until(() => expect(begun.toSorted()).toEqual(['first', 'other']));
  // The second unit waits for a slot, not for a connection.
  expect([alone.heldBy([orgId]), alone.waiting]).toEqual([1, 1]);
  end();
  await Promise.all([first, second]);
  expect(begun.at(-1)).toBe('second');
});

test('a run does not wait for the transaction of another organization', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const holding: Work<void> = async (on, attempt) => {
    await note(1)(on, attempt);
    await held;
  };
  const first = together(orgId, holding);
  await until(() => expect(sizes).toEqual([1]));
  const next = together(orgId, note(2));
  expect(await together(newId(), note(3))).toBe(3);
  expect(await notes()).toEqual([3]);
  release();
  await Promise.all([first, next]);
  expect(await notes()).toEqual([1, 2, 3]);
});
