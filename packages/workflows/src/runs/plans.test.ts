import { type Db, StandaloneUnitDb, newId, type Statement, statement } from '@relata/db';
import { createTestDatabase, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  claimLimitedRuns,
  claimOverdueRuns,
  claimRuns,
  claimOrganizationRuns,
  listDueRuns,
  releaseRuns,
  renewLeases,
  writeJournal,
} from '../execution.ts';

let db: TestDatabase;
beforeAll(async () => void (db = await createTestDatabase()));
afterAll(() => db[Symbol.asyncDispose]());

const [orgId, id] = [newId(), newId()];
const run = { org_id: orgId, id, epoch: 1 };
const claimant = { worker: 'w', leaseMs: 1_000, limit: 8 };

/** Statements that a worker executes continuously. */
const hot: Record<string, (on: Db) => Promise<unknown>> = {
  'a journal': (on) =>
    writeJournal(new StandaloneUnitDb((prepared, values) => on.query(prepared, values)), run, [], {
      status: 'succeeded',
    }),
  'a renewal': (on) => renewLeases(on, [run], 1_000),
  'a release': (on) => releaseRuns(on, [run]),
  'a claim by id': (on) => claimRuns(on, [[orgId, id]], claimant),
  'a claim by organization': (on) => claimOrganizationRuns(on, orgId, claimant),
  'a claim by workflow': (on) => claimLimitedRuns(on, { org_id: orgId, workflow_id: id }, claimant),
  'a search for lost runs': (on) => listDueRuns(on),
  'a sweep': (on) => claimOverdueRuns(on, { of: new Map(), ofOthers: 1 }, claimant),
};

/** Returns the text of the last statement of `work` without running it. */
async function textOf(work: (on: Db) => Promise<unknown>): Promise<string> {
  let text = '';
  const watching: Db = {
    query: (prepared: Statement<never>) => {
      ({ text } = prepared);
      // Answers the statement that locks a workflow before its runs are claimed.
      return Promise.resolve([{ max_running: 1 } as never]);
    },
  };
  await work(watching).catch(() => undefined);
  return text;
}

test.for(Object.keys(hot))('%s looks up runs one by one, even if its plan was made on empty tables', async (name) => {
  const text = await textOf(hot[name]!);
  const explain = statement<{ 'QUERY PLAN': string }>('', `EXPLAIN (GENERIC_PLAN) ${text}`);
  const plan = (await db.owner.query(explain, [])).map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toMatch(/(Seq|Bitmap Heap) Scan on |(Hash|Merge) Join.*\n.*workflow_runs/);
  expect(plan).toMatch(/Index Scan using \w+ on workflow_runs/);
});
