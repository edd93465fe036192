import { type Database, onlyRow, statement } from '@relata/db';
import { systemActor } from '@relata/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { killedAfter, openTestRecords, type TestRecords } from '../records.harness.ts';
import { stages } from '../stages/stage.table.ts';
import { pipelines } from './pipeline.table.ts';
import { renamePipeline } from './rename-pipeline.ts';

let records: TestRecords;

beforeAll(async () => {
  records = await openTestRecords();
});
afterAll(() => records[Symbol.asyncDispose]());

async function insertDeals(count: number, fields: object): Promise<void> {
  const { id } = await records.insert(accounts, { account_name: 'Big' });
  const given = { opportunity_name: 'Deal', account_id: id, ...fields };
  const row = newRow(systemActor(records.orgId, 'test'), opportunities, given);
  for (let left = count; left > 0; left -= 1_000)
    await insertRecords(
      records.db.database,
      opportunities,
      Array.from({ length: Math.min(left, 1_000) }, () => row),
    );
}

const count = statement<{ old: number; renamed: number; events: number }>(
  'test.renamed',
  `SELECT (count(*) FILTER (WHERE pipeline = $2))::integer AS old, (count(*) FILTER (WHERE pipeline = $3))::integer AS renamed,
     (SELECT count(*) FROM events e WHERE e.org_id = $1 AND type = 'opportunity.updated'
        AND record ->> 'pipeline' = $3)::integer AS events
   FROM opportunities WHERE org_id = $1`,
);
const counts = (old: string, renamed: string) => onlyRow(records.db.database, count, [records.orgId, old, renamed]);

test(
  'changes more opportunities than one transaction may change, each with its event, also after an interruption',
  { timeout: 240_000 },
  async () => {
    const stageId = await records.insertStage('Old');
    const { pipeline_id: id } = (await records.transaction(async (db) => {
      const [row] = await db.query(stages.statements.find, [records.orgId, stageId]);
      return row;
    })) as { pipeline_id: string };
    await insertDeals(4_100, { stage_id: stageId, pipeline: 'Old' });
    await insertDeals(1_050, { pipeline: 'Old' });
    const rename = (database: Database) => renamePipeline({ database }, records.actor, { id, name: 'New' });
    // The first transaction finds that there are too many opportunities. Two transactions change those without a stage,
    // and the second one also renames the pipeline.
    await expect(rename(killedAfter(records.db.database, 3))).rejects.toThrow('killed');
    expect(await counts('Old', 'New')).toEqual({ old: 4_100, renamed: 1_050, events: 1_050 });
    // The pipeline has its new name now. One transaction changes a chunk of the opportunities at its stages.
    await expect(rename(killedAfter(records.db.database, 2))).rejects.toThrow('killed');
    expect(await counts('Old', 'New')).toEqual({ old: 3_100, renamed: 2_050, events: 2_050 });
    expect(await rename(records.db.database)).toMatchObject({ id, name: 'New' });
    expect(await counts('Old', 'New')).toEqual({ old: 0, renamed: 5_150, events: 5_150 });
  },
);

test('a rename to the same name changes nothing; a pipeline of another organization is not found', async () => {
  const { id } = await records.insert(pipelines, { name: 'Same', active: true, is_default: false });
  const { database } = records.db;
  const before = await renamePipeline({ database }, records.actor, { id, name: 'Same' });
  expect(await renamePipeline({ database }, records.actor, { id, name: 'Same' })).toEqual(before);
  const theirs = await records.insert(pipelines, { name: 'T', active: true, is_default: false }, records.otherOrgId);
  await expect(renamePipeline({ database }, records.actor, { id: theirs.id, name: 'X' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
