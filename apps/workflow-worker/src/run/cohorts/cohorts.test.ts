import { type Database, LockedError, newId, RolledBackError, statement } from '@relata/db';
import { Slots } from '@relata/runtime';
import { createTestDatabase, type TestDatabase, until } from '@relata/testing';
import { LeaseLostError } from '@relata/workflows/execution';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { GroupFailure, LateFailure } from '../interruption.ts';
import { type CohortMember, Cohorts } from './cohorts.ts';

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
let cohorts: Cohorts;
beforeEach(async () => {
  sizes = [];
  alone = new Slots(2);
  cohorts = new Cohorts({ database, alone, onCohort: (runs) => sizes.push(runs) });
  await db.owner.query(statement('', 'TRUNCATE notes'), []);
});

const insert = statement<{ id: number }>('notes.insert', 'INSERT INTO notes (id) VALUES ($1) RETURNING id');
const read = statement<{ id: number }>('notes.read', 'SELECT id FROM notes ORDER BY id');
const transactions = statement<{ n: number }>('', 'SELECT count(DISTINCT xmin::text) AS n FROM notes');
const notes = async () => (await database.query(read, [])).map(({ id }) => id);

const note =
  (id: number): CohortMember<number> =>
  async (on) =>
    (await on.query(insert, [id]))[0]!.id;

const orgId = newId();
const share = (members: readonly CohortMember<number>[]) =>
  Promise.allSettled(members.map((member) => cohorts.run(orgId, member, false)));
const reasons = (settled: readonly PromiseSettledResult<number>[]) =>
  settled.map((one) => (one.status === 'rejected' ? (one.reason as Error).name : 'committed'));

test('runs that wait anyway are one transaction, of at most 32', async () => {
  await share(Array.from({ length: 40 }, (_, id) => note(id)));
  expect(await notes()).toHaveLength(40);
  expect(sizes).toEqual([32, 8]);
  expect(await database.query(transactions, [])).toEqual([{ n: 2 }]);
});

test('while another organization has runs too, one has at most a quarter of a cohort', async () => {
  const many = Array.from({ length: 40 }, (_, id) => cohorts.run(orgId, note(id), false));
  await Promise.all([...many, cohorts.run(newId(), note(40), false)]);
  expect(sizes[0]).toBe(9);
});

test('an organization with one run does not wait for all runs of another', async () => {
  const ended: string[] = [];
  const other = newId();
  const runs = Array.from({ length: 64 }, (_, id) =>
    cohorts.run(orgId, note(id), false).then(() => ended.push('many')),
  );
  const one = cohorts.run(other, note(64), false).then(() => ended.push('one'));
  await Promise.all([...runs, one]);
  expect(ended.indexOf('one')).toBeLessThan(32);
});

test('a run whose turn has lasted is asked to end where others wait, and only there (G11)', async () => {
  const busy: CohortMember<number> = (_on, isOver) => {
    const until = performance.now() + 30;
    while (performance.now() < until);
    return Promise.resolve(isOver() ? 1 : 0);
  };
  expect(await cohorts.run(orgId, busy, false)).toBe(0);
  const [first, second] = await Promise.all([busy, note(1)].map((member) => cohorts.run(orgId, member, false)));
  expect([first, second]).toEqual([1, 1]);
});

test('a run that fails before it writes leaves the others alone', async () => {
  const failing: CohortMember<number> = async (on) => {
    await on.query(read, []);
    throw new TypeError('wrong');
  };
  expect(reasons(await share([note(1), failing, note(3)]))).toEqual(['committed', 'TypeError', 'committed']);
  expect(await notes()).toEqual([1, 3]);
});

test('a run that is lost after it wrote is rolled back, and so are the others, who can do their part again (G9)', async () => {
  const calls: number[] = [];
  const late =
    (id: number, error?: Error): CohortMember<number> =>
    async (on) => {
      calls.push(id);
      await on.query(insert, [id]);
      if (error) throw error;
      return id;
    };
  const settled = await share([late(1), late(2, new LeaseLostError()), late(3, new LateFailure(new Error())), late(4)]);
  expect(reasons(settled)).toEqual(['RolledBackError', 'LeaseLostError', 'LateFailure', 'RolledBackError']);
  expect((settled[0] as PromiseRejectedResult).reason).toBeInstanceOf(RolledBackError);
  expect(await notes()).toEqual([]);
  expect(calls).toEqual([1, 2, 3, 4]);
});

test('where a statement fails nothing is committed, and nobody knows yet whose it was', async () => {
  const settled = await share([note(1), note(1), note(2)]);
  expect(reasons(settled)).toEqual(['GroupFailure', 'GroupFailure', 'GroupFailure']);
  expect((settled[0] as PromiseRejectedResult).reason).toBeInstanceOf(GroupFailure);
  expect((settled[0] as PromiseRejectedResult).reason).toMatchObject({ cause: { code: '23505' } });
  expect(await notes()).toEqual([]);
  const alone = await Promise.allSettled([1, 1, 2].map((id) => cohorts.run(orgId, note(id), true)));
  expect(reasons(alone).toSorted()).toEqual(['GroupFailure', 'committed', 'committed']);
});

test('a run alone has a transaction of its own beside the cohort', async () => {
  const locking: CohortMember<number> = async (on) => {
    await on.lock(['hot']);
    const [outcome] = await Promise.allSettled([cohorts.run(orgId, locked, true)]);
    return outcome.status === 'rejected' && outcome.reason instanceof LockedError ? 1 : 0;
  };
  const locked: CohortMember<number> = async (on) => {
    await on.lock(['hot']);
    return 0;
  };
  expect(await cohorts.run(orgId, locking, false)).toBe(1);
  expect(sizes).toEqual([1, 1]);
});

test('of one organization only half of what goes alone does so at once, and that of another waits for none of it', async () => {
  const begun: string[] = [];
  const { promise: ending, resolve: end } = Promise.withResolvers<void>();
  const member = (name: string): CohortMember<void> => {
    return async () => {
      begun.push(name);
      if (name === 'first') await ending;
    };
  };
  const [orgId, otherOrgId] = [newId(), newId()];
  const first = cohorts.run(orgId, member('first'), true);
  const second = cohorts.run(orgId, member('second'), true);
  await cohorts.run(otherOrgId, member('other'), true);
  await until(() => expect(begun.toSorted()).toEqual(['first', 'other']));
  // It is the place that the second waits for, and not a connection.
  expect([alone.heldBy([orgId]), alone.waiting]).toEqual([1, 1]);
  end();
  await Promise.all([first, second]);
  expect(begun.at(-1)).toBe('second');
});

test('a run does not wait for the cohort of another organization', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const holding: CohortMember<void> = async (on) => {
    await note(1)(on, () => false);
    await held;
  };
  const first = cohorts.run(orgId, holding, false);
  await until(() => expect(sizes).toEqual([1]));
  const next = cohorts.run(orgId, note(2), false);
  expect(await cohorts.run(newId(), note(3), false)).toBe(3);
  expect(await notes()).toEqual([3]);
  release();
  await Promise.all([first, next]);
  expect(await notes()).toEqual([1, 2, 3]);
});
