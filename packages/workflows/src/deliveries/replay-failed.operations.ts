import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { lineText, uuid } from '@relata/schemas';
import { z } from 'zod';
import { searchRuns } from '../runs/run-list.sql.ts';
import { notifyWorkers, type RefusedRun } from '../runs/run.operations.ts';
import type { Run } from '../runs/run.sql.ts';
import { findDelivery } from './delivery.sql.ts';
import { startOneAnew } from './replay-one.ts';
import { lockFailedRun } from './replay.sql.ts';

/** Fewer than a page of a retry has: each may have a body of half a megabyte. */
const pageRuns = 50;
const bulkMax = 10_000;

const cause = {
  workflowId: uuid(),
  step: lineText(),
  code: lineText(),
  /** Only runs that are older than this one. */
  before: uuid().optional(),
};

const FailedPage = z.strictObject({ ...cause, limit: z.int().min(1).max(pageRuns).default(pageRuns) });
const FailedRuns = z.strictObject({ ...cause, limit: z.int().min(1).max(bulkMax).default(1_000) });

/** A run that was started in place of a failed one. */
export interface ReplacingRun {
  id: string;
  replaces: string;
}

export interface Replayed {
  started: ReplacingRun[];
  /** Failed runs that nothing was started for. */
  refused: RefusedRun[];
}

/** A page of `replayFailedRuns`, and the id to go on before; undefined after the last. */
export interface ReplayedPage extends Replayed {
  next: string | undefined;
}

/**
 * Starts the workflow of failed runs of one cause anew, 50 at most, for the delivery of each, with the mapping, the filter
 * and the version of now. Other workflows of the trigger are not started. The failed runs stay, and are no part of the
 * problem any more: what was replayed already is passed over, so that a page that is asked for twice starts nothing twice.
 */
export async function replayFailedPage(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedPage>,
): Promise<ReplayedPage> {
  const { orgId } = actor;
  const { rows, next } = await searchRuns(database, orgId, { ...readInput(FailedPage, input), status: 'failed' });
  const page: ReplayedPage = { started: [], refused: [], next };
  for (const run of rows.filter(({ is_replayed: isReplayed }) => !isReplayed)) {
    const done = await database.transaction((db) => replayRun(db, actor, run));
    if (done && 'id' in done) page.started.push({ id: done.id, replaces: run.id });
    else if (done) page.refused.push({ id: run.id, message: done.refusal });
  }
  const ids = page.started.map(({ id }) => id);
  await notifyWorkers(bus, orgId, ids);
  return page;
}

/** Undefined if somebody retried or replayed it meanwhile. */
async function replayRun(db: Db, actor: Actor, run: Run) {
  if (!(await lockFailedRun(db, actor.orgId, run.id))) return undefined;
  const delivery = await findDelivery(db, actor.orgId, run.delivery_id);
  if (!delivery) return { refusal: 'Its delivery is gone.' };
  const started = await startOneAnew(db, delivery, run.workflow_id);
  if ('refusal' in started) return started;
  const row = { id: delivery.id, name: delivery.trigger, trigger_id: delivery.trigger_id, runs: [started.id] };
  await writeAuditEvent(db, actor, 'delivery.replayed', { row });
  return started;
}

/** Replays page by page, the newest first, as `retryFailedRuns` retries. */
export async function replayFailedRuns(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedRuns>,
): Promise<Replayed> {
  const { limit, ...which } = readInput(FailedRuns, input);
  const all: Replayed = { started: [], refused: [] };
  for (let { before } = which; all.started.length + all.refused.length < limit;) {
    const wanted = Math.min(pageRuns, limit - all.started.length - all.refused.length);
    const page = await replayFailedPage(context, actor, { ...which, before, limit: wanted });
    all.started.push(...page.started);
    all.refused.push(...page.refused);
    before = page.next;
    if (before === undefined) break;
  }
  return all;
}
