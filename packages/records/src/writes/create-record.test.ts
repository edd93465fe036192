import { createOrganization } from '@relata/auth';
import { type Database, Executor, statement } from '@relata/db';
import { operatorActor } from '@relata/events';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { customActivities } from '../custom-activities/custom-activity.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { createUnit } from './record-units.ts';

let db: TestDatabase;
let [orgId, otherOrgId, theirAccount] = ['', '', ''];

beforeAll(async () => {
  db = await createTestDatabase();
  orgId = (await createOrganization(db.database, 'Acme')).id;
  otherOrgId = (await createOrganization(db.database, 'Globex')).id;
  const executor = new Executor(db.database);
  theirAccount = (
    await executor.run(createUnit(operatorActor(otherOrgId, 'test'), accounts, { account_name: 'Theirs' }))
  ).id;
});
afterAll(() => db[Symbol.asyncDispose]());

/** Wraps the database, and records the names of the statements sent to it. */
function watched(): { database: Database; sent: string[] } {
  const sent: string[] = [];
  const watch = (at: Pick<Database, 'query'>): Database['query'] => {
    return (prepared, values) => {
      sent.push(prepared.name);
      return at.query(prepared, values);
    };
  };
  const of: Database['of'] = (id, signal) => {
    const one = db.database.of(id, signal);
    return { query: watch(one), transaction: (work) => one.transaction(work) };
  };
  return { database: { ...db.database, query: watch(db.database), of }, sent };
}

const missing = '01900000-0000-7000-8000-000000000000';

test('a create that is refused for a missing reference costs the others no extra statement (G8)', async () => {
  const { database, sent } = watched();
  const executor = new Executor(database);
  const mine = (await executor.run(createUnit(operatorActor(orgId, 'test'), accounts, { account_name: 'Mine' }))).id;
  const results = await Promise.allSettled(
    Array.from({ length: 90 }, (_, i) => {
      const account_id = [missing, theirAccount, mine][i % 3];
      return executor.run(
        createUnit(operatorActor(orgId, 'test'), opportunities, { opportunity_name: `Deal ${i}`, account_id }),
      );
    }),
  );
  const refused = { status: 'rejected', reason: { code: 'validation_error', details: [{ field: 'account_id' }] } };
  expect(results).toMatchObject(
    results.map((_, i) => (i % 3 === 2 ? { status: 'fulfilled', value: { account_id: mine } } : refused)),
  );
  expect(sent.filter((name) => name === 'opportunities.insert')).toHaveLength(1);
});

test('each reference of an activity is checked, and a missing one refuses the whole activity', async () => {
  const executor = new Executor(db.database);
  const contact = await executor.run(
    createUnit(operatorActor(orgId, 'test'), contacts, {
      first_name: 'Ada',
      last_name: 'Lovelace',
    }),
  );
  const theirs = await executor.run(
    createUnit(operatorActor(otherOrgId, 'test'), contacts, {
      first_name: 'Eve',
      last_name: 'Lovelace',
    }),
  );
  const log = (links: object) =>
    executor.run(createUnit(operatorActor(orgId, 'test'), customActivities, { content: 'Called', ...links }));
  const results = await Promise.allSettled([
    log({ contact_ids: [contact.id] }),
    log({ contact_ids: [contact.id, theirs.id] }),
    log({ owner_id: missing, opportunity_ids: [missing] }),
    log({}),
  ]);
  const fields = (result: PromiseSettledResult<unknown>) =>
    result.status === 'rejected'
      ? (result.reason as { details: { field: string }[] }).details.map(({ field }) => field)
      : 'created';
  expect(results.map(fields)).toEqual(['created', ['contact_ids'], ['owner_id', 'opportunity_ids'], 'created']);
});

test('an organization that creates one record does not wait for the hundreds of another (G3)', async () => {
  const executor = new Executor(db.database);
  let done = 0;
  const many = Array.from({ length: 600 }, (_, i) =>
    executor
      .run(createUnit(operatorActor(orgId, 'test'), accounts, { account_name: `Account ${i}` }))
      .then(() => done++),
  );
  await Promise.race(many);
  const doneAtMost = done + 200;
  await executor.run(createUnit(operatorActor(otherOrgId, 'test'), accounts, { account_name: 'One' }));
  expect(done).toBeLessThanOrEqual(doneAtMost);
  await Promise.all(many);
});

test('records that are created at the same time become visible in the order of their ids (G1)', async () => {
  const executor = new Executor(db.database);
  const actor = operatorActor(orgId, 'test');
  const seen: string[] = [];
  const create = async (i: number) => {
    const { id } = await executor.run(createUnit(actor, accounts, { account_name: `Ordered ${i}` }));
    seen.push(id);
  };
  await Promise.all(Array.from({ length: 300 }, (_, i) => create(i)));
  expect(seen).toEqual(seen.toSorted());
});

test('a create that refers to a record which another transaction deletes waits alone, and then is refused', async () => {
  const executor = new Executor(db.database);
  const create = (org: string, fields: object) =>
    executor.run(createUnit(operatorActor(org, 'test'), contacts, { first_name: 'A', last_name: 'B', ...fields }));
  const deleted = (await executor.run(createUnit(operatorActor(orgId, 'test'), accounts, { account_name: 'Mine' }))).id;
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const deleting = db.database.transaction(async (on) => {
    await on.query(statement('', 'DELETE FROM accounts WHERE id = $1'), [deleted]);
    begun.resolve();
    await released.promise;
  });
  await begun.promise;
  let isSettled = false;
  const waiting = create(orgId, { account_id: deleted }).finally(() => (isSettled = true));
  const others = await Promise.all([create(otherOrgId, { account_id: theirAccount }), create(orgId, {})]);
  expect(others).toMatchObject([{ account_id: theirAccount }, { last_name: 'B' }]);
  expect(isSettled).toBe(false);
  released.resolve();
  const refused = { details: [{ field: 'account_id', code: 'invalid_reference' }] };
  await Promise.all([deleting, expect(waiting).rejects.toMatchObject(refused)]);
  expect(await create(otherOrgId, { account_id: theirAccount })).toMatchObject({ account_id: theirAccount });
});
