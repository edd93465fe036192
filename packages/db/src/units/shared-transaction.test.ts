import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { statement } from '../statement.ts';
import { Executor } from './executor.ts';
import { locked, LockedError, type SharedStatement } from './shared-statement.ts';
import { runTogether, type UnitWork } from './shared-transaction.ts';
import type { UnitDb } from './unit-db.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await db.owner.query(statement('', 'CREATE TABLE notes (id integer PRIMARY KEY, words text)'), []);
  await db.owner.query(statement('', 'GRANT ALL ON notes TO PUBLIC'), []);
});
afterAll(() => db[Symbol.asyncDispose]());

const insert = statement<{ id: number }>(
  'notes.insert',
  `INSERT INTO notes (id, words) SELECT * FROM unnest($1::integer[], $2::text[]) RETURNING id`,
);
const read = statement<{ words: string }>('notes.read', 'SELECT words FROM notes ORDER BY id');
const notes = async () => (await db.database.query(read, [])).map(({ words }) => words);
beforeEach(async () => void (await db.owner.query(statement('', 'TRUNCATE notes'), [])));

interface Note {
  id: number;
  words: string;
}

let batches: number[][];
beforeEach(() => void (batches = []));

const inserts: SharedStatement<Note, number> = {
  async run(on, calls) {
    batches.push(calls.map(({ id }) => id));
    const rows = await on.query(insert, [calls.map(({ id }) => id), calls.map(({ words }) => words)]);
    return rows.map(({ id }) => id);
  },
  keyOf: ({ words }) => words,
  wrote: () => true,
};

const share = (units: UnitWork<unknown>[]) => db.database.transaction((on) => runTogether(on, units));
const note = (on: UnitDb, id: number, words = `note ${id}`) => on.call(inserts, { id, words });

test('concurrent calls of members are one statement, and each gets its own result', async () => {
  const results = await share([1, 2, 3].map((id) => async (on) => [await note(on, id), await note(on, id + 10)]));
  expect(results.map((result) => (result as PromiseFulfilledResult<unknown>).value)).toEqual([
    [1, 11],
    [2, 12],
    [3, 13],
  ]);
  expect(batches).toEqual([
    [1, 2, 3],
    [11, 12, 13],
  ]);
});

test('calls with the same key are separate statements, in their order', async () => {
  await share([1, 2, 3].map((id) => (on) => note(on, id, 'same')));
  expect(batches).toEqual([[1], [2], [3]]);
});

test('a member that throws before it writes does not affect the others', async () => {
  const results = await share([(on) => note(on, 1), () => Promise.reject(new Error('wrong')), (on) => note(on, 3)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await notes()).toEqual(['note 1', 'note 3']);
});

test('nothing is committed if a member throws after writing, or if a statement fails', async () => {
  const late = async (on: UnitDb) => {
    await note(on, 2);
    throw new Error('late');
  };
  await expect(share([(on) => note(on, 1), late])).rejects.toThrow('late');
  await expect(share([(on) => note(on, 1), (on) => note(on, 1, 'twice')])).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual([]);
});

const lasts: number[][] = [];
const last: SharedStatement<number, number> = {
  run: (_on, calls) => {
    lasts.push([...calls]);
    return Promise.resolve(calls);
  },
  isLast: true,
};

test('the last calls of all members are one statement after all other calls, even if members wait for each other', async () => {
  const inTurn = (id: number) => async (on: UnitDb) => {
    await on.lock([id < 3 ? 'same' : `own ${id}`]);
    await note(on, id);
    if (id === 4) await note(on, 40);
    return on.call(last, id);
  };
  const results = await share([1, 2, 3, 4].map(inTurn));
  expect(results.map((result) => (result as PromiseFulfilledResult<unknown>).value)).toEqual([1, 2, 3, 4]);
  expect(lasts.map((ids) => ids.toSorted((a, b) => a - b))).toEqual([[1, 2, 3, 4]]);
  expect(await notes()).toHaveLength(5);
});

test('a member that is rolled back because of another member is not reported as faulty', async () => {
  const seen: string[] = [];
  const writing = (id: number, fails: boolean) => async (on: UnitDb) => {
    await note(on, id);
    if (fails) throw new TypeError('late');
    await note(on, id + 10).catch((error: Error) => seen.push(error.name));
  };
  await expect(share([writing(1, false), writing(2, true), writing(3, false)])).rejects.toThrow('late');
  expect(seen).toEqual(['RolledBackError', 'RolledBackError']);
});

test('a read that is not made for several calls runs once per set of values', async () => {
  const asked = statement<{ n: number }>('', 'SELECT $1::integer AS n, gen_random_uuid() AS id');
  const results = await share([1, 1, 2].map((n) => (on) => on.query(asked, [n])));
  const rows = results.map((result) => (result as PromiseFulfilledResult<unknown[]>).value[0]);
  expect(rows[0]).toEqual(rows[1]);
  expect(rows[0]).not.toEqual(rows[2]);
  expect(rows[2]).toMatchObject({ n: 2 });
});

test('if members lock the same key, the later one sees the effect of the earlier', async () => {
  const count = statement<{ n: number }>('', 'SELECT count(*)::integer AS n FROM notes');
  const inTurn = (id: number) => async (on: UnitDb) => {
    await on.lock(['shared', `own ${id}`]);
    const [row] = await on.query(count, []);
    await note(on, id);
    return row!.n;
  };
  const results = await share([1, 2, 3].map(inTurn));
  expect(results.map((result) => (result as PromiseFulfilledResult<unknown>).value)).toEqual([0, 1, 2]);
});

test('members that share locks run in their order, even behind a member that still waits', async () => {
  const ended: string[] = [];
  const holding =
    (...texts: string[]) =>
    async (on: UnitDb) => {
      await on.lock(texts);
      await on.query(read, []);
      ended.push(texts.join());
    };
  await share([holding('a'), holding('a', 'b'), holding('b'), holding('c')]);
  expect(ended).toEqual(['a', 'c', 'a,b', 'b']);
});

const held: SharedStatement<string, undefined> = {
  run: (_on, calls) => Promise.resolve(calls.map(() => undefined)),
  holds: (name) => [name],
};

test('units that hold the same name run one after another, but a unit that others may wait for never waits (G5)', async () => {
  const ended: number[] = [];
  const following = (id: number, first: string, second: string) => async (on: UnitDb) => {
    await on.call(held, first);
    await note(on, id);
    const taken = await on.call(held, second).catch((error: Error) => error.name);
    ended.push(id);
    return taken;
  };
  const results = await share([following(1, 'a', 'b'), following(2, 'a', 'a'), following(3, 'b', 'a')]);
  expect(results.map((result) => (result as PromiseFulfilledResult<unknown>).value)).toEqual([
    'LockedError',
    undefined,
    'LockedError',
  ]);
  expect(ended.indexOf(2)).toBeGreaterThan(ended.indexOf(1));
});

test('a unit can take a name again while others wait for that name', async () => {
  const ended: number[] = [];
  const holdingTwice = (id: number) => async (on: UnitDb) => {
    await on.call(held, 'same');
    await note(on, id);
    await on.call(held, 'same');
    ended.push(id);
  };
  expect((await share([1, 2, 3].map(holdingTwice))).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
  expect(ended).toEqual([1, 2, 3]);
});

test('units wait for a row that another transaction has locked only if they belong to one caller (G5)', async () => {
  const hows: boolean[] = [];
  const trying: SharedStatement<number, number> = {
    run: (_on, calls, { waits }) => {
      hows.push(waits);
      return Promise.resolve(calls.map((id) => (waits ? id : locked)));
    },
    wrote: (id) => id > 0,
  };
  const [first] = await share([(on) => on.call(trying, 1)]);
  expect((first as PromiseRejectedResult).reason).toEqual(new LockedError());
  const waiting = db.database.transaction((on) => runTogether(on, [(unit) => unit.call(trying, 1)], { waits: true }));
  expect(await waiting).toMatchObject([{ value: 1 }]);
  expect(hows).toEqual([false, true]);
});

test('members that lock crosswise do not deadlock', async () => {
  const crosswise = (first: string, second: string) => async (on: UnitDb) => {
    await on.lock([first]);
    await on.lock([second]);
  };
  const results = await share([crosswise('a', 'b'), crosswise('b', 'a')]);
  const reasons = results.map((result) => (result as PromiseRejectedResult).reason as unknown);
  expect(reasons).toEqual([new LockedError('b'), new LockedError('a')]);
});

test('a unit does not wait for a key that another transaction has locked in another letter case', async () => {
  await db.database.transaction(async (holder) => {
    await holder.lock(['Busy']);
    const results = await share([(on) => on.lock(['busy']), (on) => on.lock(['free'])]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect((results[0] as PromiseRejectedResult).reason).toBeInstanceOf(LockedError);
  });
});

test('waiting units share one transaction, and a faulty unit fails alone', async () => {
  const executor = new Executor(db.database);
  const ids = Array.from({ length: 20 }, (_, i) => i);
  const results = await Promise.allSettled(
    ids.map((id) =>
      executor.run({ orgId: 'an organization', run: (on) => note(on, id === 13 ? 12 : id, `note ${id}`) }),
    ),
  );
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await notes()).toHaveLength(19);
  expect(batches[0]).toHaveLength(20);
});

test('of many units that wait for a lock of another transaction, only one holds a connection', async () => {
  const executor = new Executor(db.database);
  const waiting = 'an organization';
  let late: Promise<unknown> | undefined;
  await db.database.transaction(async (holder) => {
    await holder.lock(['hot']);
    const work = (id: number) => async (on: UnitDb) => {
      await on.lock(['hot']);
      return note(on, id);
    };
    late = Promise.all(Array.from({ length: 40 }, (_, id) => executor.run({ orgId: waiting, run: work(id) })));
    await until(() => expect(db.database.pressure().total - db.database.pressure().idle).toBe(2));
    await executor.run({ orgId: 'another', run: (on) => note(on, 100) });
    // A connection is given back a moment after its transaction has ended.
    await until(() => expect(db.database.pressure().total - db.database.pressure().idle).toBe(2));
  });
  expect(await late).toHaveLength(40);
  expect(await notes()).toHaveLength(41);
});

test('hundreds of members continue over several turns of the event loop, and a member that fails at once fails alone', async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn++;
    next = setImmediate(count);
  });
  const perTurn = new Map<number, number>();
  const count = () => void perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
  const members = Array.from({ length: 300 }, (_, id) => async (on: UnitDb) => {
    count();
    if (id === 0) throw new Error('wrong');
    await note(on, id);
    count();
  });
  const results = await share(members);
  clearImmediate(next);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await notes()).toHaveLength(299);
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(50);
});
