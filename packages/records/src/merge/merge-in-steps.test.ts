import { type Database, Executor, statement } from '@relata/db';
import { operatorActor, systemActor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { killedAfter, openTestRecords, type TestRecords } from '../records.harness.ts';
import { createUnit, deleteUnit, mergeUnit, restoreUnit } from '../writes/record-units.ts';
import { mergeInSteps } from './merge-in-steps.ts';
import type { Merge } from './merge-records.ts';

let records: TestRecords;
beforeAll(async () => {
  records = await openTestRecords();
});
afterAll(() => records[Symbol.asyncDispose]());

/** Contacts that are merged, and an account for their opportunities. */
interface Given {
  accountId: string;
  merge: Merge;
}

async function insertContacts(orgId: string): Promise<Given> {
  const contact = async (fields: object) =>
    (await records.insert(contacts, { first_name: 'Ada', last_name: 'Lovelace', ...fields }, orgId)).id;
  const { id: accountId } = await records.insert(accounts, { account_name: 'Robotics' }, orgId);
  const winnerId = await contact({ tags: ['vip'] });
  const loserIds = [await contact({ email: 'ada@robotics.example', tags: ['press'] }), await contact({ title: 'CTO' })];
  return { accountId, merge: { winnerId, loserIds, set: {}, versions: new Map() } };
}

async function insertDeals(orgId: string, { accountId }: Given, contactIds: readonly string[], count: number) {
  const fields = { opportunity_name: 'Deal', account_id: accountId, contact_ids: contactIds };
  const row = newRow(systemActor(orgId, 'test'), opportunities, fields);
  const rows = Array.from({ length: count }, () => row);
  await insertRecords(records.db.database, opportunities, rows);
}

/** Inserts opportunities of the losers, most of them linked to the first loser. */
async function insertLinks(orgId: string, given: Given): Promise<void> {
  const { winnerId, loserIds } = given.merge;
  await insertDeals(orgId, given, [loserIds[0]!], 1_000);
  await insertDeals(orgId, given, loserIds, 600);
  await insertDeals(orgId, given, [loserIds[1]!, winnerId], 500);
  await insertDeals(orgId, given, [winnerId], 10);
}

interface State {
  deals: unknown;
  events: unknown;
  steps: number;
  kept: number;
}

const readState = statement<State>(
  'test.merged_state',
  `SELECT
     (SELECT json_agg(json_build_object('contacts', contact_ids, 'n', n) ORDER BY contact_ids)
        FROM (SELECT contact_ids, count(*) AS n FROM opportunities WHERE org_id = $1 GROUP BY 1) each) AS deals,
     (SELECT json_agg(json_build_object('type', type, 'changed', changed, 'details', details, 'n', n)
          ORDER BY type, changed::text, details::text)
        FROM (SELECT type, changed, details::jsonb AS details, count(*) AS n FROM events
              WHERE org_id = $1 AND type ~ '(merged|deleted|updated)$' GROUP BY 1, 2, 3) each) AS events,
     (SELECT count(*)::integer FROM merge_steps WHERE org_id = $1) AS steps,
     (SELECT count(*)::integer FROM trash_links WHERE org_id = $1) AS kept`,
);

/** Returns the state after a merge, with ids replaced by their roles. */
async function stateOf(orgId: string, { merge: { winnerId, loserIds } }: Given): Promise<State> {
  const [state] = await records.db.database.query(readState, [orgId]);
  const named = [winnerId, ...loserIds].reduce(
    (text, id, at) => text.replaceAll(id, at === 0 ? 'winner' : `loser ${at}`),
    JSON.stringify(state),
  );
  return JSON.parse(named) as State;
}

test('a merge in steps that is killed after each step has the same result and events as a merge in one transaction', async () => {
  const { db, orgId, otherOrgId } = records;
  const [atOnce, inSteps] = [await insertContacts(otherOrgId), await insertContacts(orgId)];
  await insertLinks(otherOrgId, atOnce);
  await insertLinks(orgId, inSteps);
  const unit = mergeUnit(operatorActor(otherOrgId, 'test'), contacts, atOnce.merge);
  const expected = await new Executor(db.database).runAlone(unit);
  const expectedState = await stateOf(otherOrgId, atOnce);

  const run = (database: Database) => mergeInSteps({ database }, records.actor, contacts, inSteps.merge);
  await expect(run(killedAfter(db.database, 1))).rejects.toThrow('killed');
  expect(await stateOf(orgId, inSteps)).toMatchObject({ steps: 1 });
  await expect(run(killedAfter(db.database, 1))).rejects.toThrow('killed');
  const merged = await run(db.database);
  expect(merged).toMatchObject({ changed: expected.changed, filled: expected.filled, moved: expected.moved });
  expect(merged.moved).toEqual({ opportunities: 2_100, activities: 0 });
  expect(merged.record).toMatchObject({ email: 'ada@robotics.example', title: 'CTO', tags: ['vip', 'press'] });
  expect(await stateOf(orgId, inSteps)).toEqual({ ...expectedState, kept: 0 });

  // Repeats the request, as its sender does if the process was killed before it could answer.
  expect((await run(db.database)).record).toEqual(merged.record);
  expect(await stateOf(orgId, inSteps)).toEqual({ ...expectedState, kept: 0 });

  const [loser] = inSteps.merge.loserIds;
  await expect(new Executor(db.database).runAlone(restoreUnit(records.actor, { id: loser! }))).rejects.toMatchObject({
    code: 'not_found',
    data: { merged_into: inSteps.merge.winnerId },
  });
});

test('links that others create meanwhile move, too, and none is lost', async () => {
  const { db, orgId, actor } = records;
  const given = await insertContacts(orgId);
  const [loserId] = given.merge.loserIds;
  await insertDeals(orgId, given, [loserId!], 1_500);
  const replicas = [new Executor(db.database), new Executor(db.database)];
  const fields = { opportunity_name: 'Meanwhile', account_id: given.accountId, contact_ids: [loserId!] };
  const counts = replicas.map(() => 0);
  const writing = replicas.map(async (replica, i) => {
    for (; ; counts[i]!++) {
      const refusal = await replica.run(createUnit(actor, opportunities, fields)).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal !== undefined) return refusal;
    }
  });
  await expect.poll(() => Math.min(...counts)).toBeGreaterThan(0);
  await mergeInSteps(db, actor, contacts, given.merge);
  for (const refusal of await Promise.all(writing))
    expect(refusal).toMatchObject({ code: 'validation_error', details: [{ merged_into: given.merge.winnerId }] });
  const linked = statement<{ contact_ids: string[]; n: number }>(
    'test.linked',
    `SELECT contact_ids, count(*)::integer AS n FROM opportunities
     WHERE org_id = $1 AND contact_ids && $2::uuid[] GROUP BY 1`,
  );
  const ids = [given.merge.winnerId, ...given.merge.loserIds];
  expect(await db.database.query(linked, [orgId, ids])).toEqual([
    { contact_ids: [given.merge.winnerId], n: 1_500 + counts.reduce((sum, count) => sum + count, 0) },
  ]);
});

/** Begins to merge the first loser in steps. The merge is killed after its first step. */
async function beginMerge(orgId: string) {
  const { db, actor } = records;
  const given = await insertContacts(orgId);
  const [loserId, otherId] = given.merge.loserIds as [string, string];
  const begun = { ...given.merge, loserIds: [loserId] };
  await insertDeals(orgId, given, begun.loserIds, 1_001);
  await expect(mergeInSteps({ database: killedAfter(db.database, 1) }, actor, contacts, begun)).rejects.toThrow(
    'killed',
  );
  return { begun, otherId };
}

test('no record of a merge in steps is merged in one transaction until an operator has finished that merge', async () => {
  const { db, orgId, actor } = records;
  const { begun, otherId } = await beginMerge(orgId);
  const { winnerId, loserIds } = begun;
  const loserId = loserIds[0]!;
  const pairs: [string, string][] = [
    [winnerId, loserId],
    [otherId, loserId],
    [loserId, otherId],
    [winnerId, otherId],
    [otherId, winnerId],
  ];
  const executor = new Executor(db.database);
  for (const [into, from] of pairs)
    await expect(
      executor.runAlone(mergeUnit(actor, contacts, { ...begun, winnerId: into, loserIds: [from] })),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`merge contact ${winnerId} ${loserId} --org ${orgId} --chunked`),
      data: { winner_id: winnerId, loser_ids: [loserId] },
    });
  expect((await mergeInSteps(db, actor, contacts, begun)).moved).toEqual({ opportunities: 1_001, activities: 0 });
  await executor.runAlone(mergeUnit(actor, contacts, { ...begun, loserIds: [otherId] }));
});

test('a merge in steps that cannot be continued, because its winner was deleted, does not block other merges', async () => {
  const { db, orgId, actor } = records;
  const { begun, otherId } = await beginMerge(orgId);
  const executor = new Executor(db.database);
  await executor.runAlone(deleteUnit(actor, contacts, { id: begun.winnerId }));
  const merge = { ...begun, winnerId: otherId };
  expect((await executor.runAlone(mergeUnit(actor, contacts, merge))).moved).toEqual({
    opportunities: 1,
    activities: 0,
  });
});

test('a merge in one transaction that waits for the first step of a merge in steps is refused after that step', async () => {
  const { db, orgId, actor } = records;
  const given = await insertContacts(orgId);
  const { winnerId } = given.merge;
  const begun = { ...given.merge, loserIds: given.merge.loserIds.slice(0, 1) };
  await insertDeals(orgId, given, begun.loserIds, 1_001);
  let atOnce: Promise<unknown> | undefined;
  const bulkOf: Database['bulkOf'] = (org, signal) => {
    const one = db.database.bulkOf(org, signal);
    const transaction: typeof one.transaction = async (work) => {
      if (atOnce) throw new Error('killed');
      return one.transaction(async (tx) => {
        const result = await work(tx);
        const unit = mergeUnit(actor, contacts, begun);
        atOnce = new Executor(db.database).runAlone(unit).catch((error: unknown) => error);
        await expect.poll(() => db.database.query(waiting, [])).toEqual([{ n: 1 }]);
        return result;
      });
    };
    return { query: one.query.bind(one), transaction };
  };
  const database: Database = { ...db.database, bulkOf };
  await expect(mergeInSteps({ database }, actor, contacts, begun)).rejects.toThrow('killed');
  expect(await atOnce).toMatchObject({ code: 'conflict', data: { winner_id: winnerId } });
  await mergeInSteps(db, actor, contacts, begun);
});

/** Counts statements of this database that wait for a lock. */
const waiting = statement<{ n: number }>(
  'test.waiting',
  `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

test('an unfinished merge in steps is forgotten once its loser is merged together with other records', async () => {
  const { db, orgId, actor } = records;
  const { begun, otherId } = await beginMerge(orgId);
  const merge = { ...begun, loserIds: [...begun.loserIds, otherId] };
  expect((await mergeInSteps(db, actor, contacts, merge)).moved).toEqual({ opportunities: 1, activities: 0 });
  expect((await stateOf(orgId, { accountId: '', merge })).steps).toBe(0);
});

test('restoring a loser does not remove the winner from lists in which it also replaced a loser of a merge in steps', async () => {
  const { db, orgId, actor } = records;
  const { accountId, merge } = await insertContacts(orgId);
  const { winnerId } = merge;
  const [restored, forGood] = merge.loserIds as [string, string];
  await insertDeals(orgId, { accountId, merge }, [restored, forGood], 1);
  const executor = new Executor(db.database);
  await executor.runAlone(mergeUnit(actor, contacts, { ...merge, loserIds: [restored] }));
  await mergeInSteps(db, actor, contacts, { ...merge, loserIds: [forGood] });
  await executor.runAlone(restoreUnit(actor, { id: restored }));
  const lists = statement<{ contact_ids: string[] }>(
    'test.lists',
    'SELECT contact_ids FROM opportunities WHERE org_id = $1 AND account_id = $2',
  );
  expect(await db.database.query(lists, [orgId, accountId])).toEqual([{ contact_ids: [restored, winnerId] }]);
});

test('records of another organization are not merged', async () => {
  const { merge } = await insertContacts(records.otherOrgId);
  const own = await insertContacts(records.orgId);
  const mixed = { ...own.merge, loserIds: merge.loserIds };
  await expect(mergeInSteps(records.db, records.actor, contacts, mixed)).rejects.toMatchObject({
    code: 'validation_error',
    details: [{ field: 'loser_ids.0' }, { field: 'loser_ids.1' }],
  });
});
