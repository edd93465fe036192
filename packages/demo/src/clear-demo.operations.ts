import type { Db, Statement } from '@relata/db';
import type { OperationContext } from '@relata/events';
import { publishTriggers } from '@relata/workflows';
import {
  dropDeliveries,
  dropDemoRequests,
  dropEvents,
  dropMarks,
  dropRecords,
  dropRuns,
  dropTriggers,
  dropWorkflows,
  listRecords,
  lockContacts,
  lockRuns,
  lockUnusedTriggers,
  lockUnusedWorkflows,
} from './clear-demo.sql.ts';

/**
 * Removes the demo data of an organization: deliveries, their runs, records that only these runs have written, demo
 * requests, and triggers and workflows that only the demo uses. It keeps records that a person has changed or that a
 * remaining record refers to, and everything that people created. Returns the number of removed rows of each kind.
 */
export async function clearDemo({ database, bus }: OperationContext, orgId: string) {
  const { triggerIds, ...cleared } = await database.transaction(async (db) => {
    const idsOf = async (sql: Statement<{ id: string }>, ...more: unknown[]) =>
      (await db.query(sql, [orgId, ...more])).map(({ id }) => id);
    const runIds = await idsOf(lockRuns);
    const recordIds = await idsOf(listRecords, runIds);
    await db.query(lockContacts, [orgId, recordIds]);
    const dropped = await dropEach(db, dropRecords, [orgId, recordIds]);
    await dropEach(db, [dropEvents], [orgId, recordIds]);
    const runs = await dropEach(db, dropRuns, [orgId, runIds]);
    const deliveries = await dropEach(db, dropDeliveries, [orgId]);
    const demoRequests = await dropEach(db, [dropDemoRequests], [orgId]);
    const triggers = await idsOf(lockUnusedTriggers);
    await dropEach(db, dropTriggers, [orgId, triggers]);
    const workflows = await dropEach(db, dropWorkflows, [orgId, await idsOf(lockUnusedWorkflows)]);
    await dropEach(db, [dropMarks], [orgId]);
    return {
      deliveries: deliveries.at(-1)!,
      runs: runs.at(-1)!,
      records: dropped.reduce((sum, n) => sum + n, 0),
      demo_requests: demoRequests[0]!,
      triggers: triggers.length,
      workflows: workflows.at(-1)!,
      triggerIds: triggers,
    };
  });
  await publishTriggers(bus, triggerIds);
  return cleared;
}

/** Runs statements one after another. Returns the number of rows that each has deleted. */
async function dropEach(db: Db, statements: readonly Statement<{ n: number }>[], values: unknown[]): Promise<number[]> {
  const counts: number[] = [];
  for (const sql of statements) counts.push((await db.query(sql, values))[0]!.n);
  return counts;
}
