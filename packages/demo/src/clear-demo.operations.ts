import type { Db, Statement } from '@relata/db';
import type { OperationContext } from '@relata/events';
import { publishTriggers } from '@relata/workflows';
import {
  dropDeliveries,
  dropDemoRequests,
  dropEvents,
  dropMarks,
  dropOfTriggers,
  dropRecords,
  dropRepeatKeys,
  dropRuns,
  dropSignedPosts,
  dropSteps,
  dropTriggers,
  dropVersions,
  dropWorkflows,
  listRecords,
  lockRuns,
  lockUnusedTriggers,
  lockUnusedWorkflows,
} from './clear-demo.sql.ts';

/** Number of removed rows of each kind. */
export interface ClearedDemo {
  deliveries: number;
  runs: number;
  records: number;
  demo_requests: number;
  triggers: number;
  workflows: number;
}

/**
 * Removes the demo data of an organization: deliveries, their runs, records that only these runs have written, demo
 * requests, and triggers and workflows that nobody else uses. Records that a person has changed or refers to stay, and
 * so does everything that people created.
 */
export async function clearDemo({ database, bus }: OperationContext, orgId: string): Promise<ClearedDemo> {
  const { triggerIds, ...cleared } = await database.transaction(async (db) => {
    const runIds = (await db.query(lockRuns, [orgId])).map(({ id }) => id);
    const records = await clearRecords(db, orgId, runIds);
    await drop(db, dropSteps, orgId, runIds);
    const runs = await drop(db, dropRuns, orgId, runIds);
    await drop(db, dropRepeatKeys, orgId);
    await drop(db, dropSignedPosts, orgId);
    const deliveries = await drop(db, dropDeliveries, orgId);
    const demo_requests = await drop(db, dropDemoRequests, orgId);
    const triggers = await clearTriggers(db, orgId);
    const workflows = await clearWorkflows(db, orgId);
    await drop(db, dropMarks, orgId);
    return { deliveries, runs, records, demo_requests, triggers: triggers.length, workflows, triggerIds: triggers };
  });
  await publishTriggers(bus, triggerIds);
  return cleared;
}

async function drop(db: Db, sql: Statement<{ n: number }>, orgId: string, ids?: readonly string[]): Promise<number> {
  const [row] = await db.query(sql, ids ? [orgId, ids] : [orgId]);
  return row!.n;
}

async function clearRecords(db: Db, orgId: string, runIds: readonly string[]): Promise<number> {
  const ids = (await db.query(listRecords, [orgId, runIds])).map(({ id }) => id);
  let dropped = 0;
  for (const sql of dropRecords) dropped += await drop(db, sql, orgId, ids);
  await drop(db, dropEvents, orgId, ids);
  return dropped;
}

async function clearTriggers(db: Db, orgId: string): Promise<string[]> {
  const ids = (await db.query(lockUnusedTriggers, [orgId])).map(({ id }) => id);
  for (const sql of dropOfTriggers) await drop(db, sql, orgId, ids);
  await drop(db, dropTriggers, orgId, ids);
  return ids;
}

async function clearWorkflows(db: Db, orgId: string): Promise<number> {
  const ids = (await db.query(lockUnusedWorkflows, [orgId])).map(({ id }) => id);
  await drop(db, dropVersions, orgId, ids);
  return drop(db, dropWorkflows, orgId, ids);
}
