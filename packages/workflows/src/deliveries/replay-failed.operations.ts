import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { isUuid, shortText, uuid } from '@relata/schemas';
import { z } from 'zod';
import { searchRuns } from '../runs/run-list.sql.ts';
import { notifyWorkers, type RefusedRun } from '../runs/run.operations.ts';
import type { Run } from '../runs/run.sql.ts';
import { type DeliveryDetail, findDelivery } from './delivery.sql.ts';
import { isRefused } from './delivery-store.sql.ts';
import { searchRefusedDeliveries } from './refused-deliveries.sql.ts';
import { startOneAnew } from './replay-one.ts';
import { lockDelivery, lockFailedRun } from './replay.sql.ts';

/** Maximum number of runs per page. It is lower than for a retry, because a replay loads the body of each delivery. */
const pageRuns = 50;
const bulkMax = 10_000;

const cause = {
  workflowId: uuid(),
  step: shortText(),
  code: shortText(),
  /** Only runs or deliveries older than the one with this id. */
  before: uuid().optional(),
};

const FailedPage = z.strictObject({ ...cause, limit: z.int().min(1).max(pageRuns).default(pageRuns) });
const FailedRuns = z.strictObject({ ...cause, limit: z.int().min(1).max(bulkMax).default(1_000) });

interface ReplacingRun {
  id: string;
  /** The failed run, or the delivery whose start was refused. */
  replaces: string;
}

/** A page of `replayFailedRuns`. */
export interface ReplayedPage {
  started: ReplacingRun[];
  /** Failed runs, or refused deliveries, for which nothing was started. */
  refused: RefusedRun[];
  /** The id to continue before; undefined after the last page. */
  next: string | undefined;
}

/**
 * Replays at most 50 failed runs or refused starts with the same cause. A page may replay fewer, or none, and still
 * have a `next`. For each delivery, starts only this workflow, with its current mapping, filter and version. Failed
 * runs remain but no longer count as part of the problem. Failures that were already replayed are skipped, so that a
 * repeated page starts nothing twice.
 */
export async function replayFailedPage(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedPage>,
): Promise<ReplayedPage> {
  const { orgId } = actor;
  const { rows, next } = await failuresOf(database, orgId, readInput(FailedPage, input));
  const page: ReplayedPage = { started: [], refused: [], next };
  for (const { id: replaces, replay } of rows) {
    const done = await database.transaction((db) => replay(db, actor));
    if (done && 'id' in done) page.started.push({ id: done.id, replaces });
    else if (done) page.refused.push({ id: replaces, message: done.refusal });
  }
  const ids = page.started.map(({ id }) => id);
  await notifyWorkers(bus, orgId, ids);
  return page;
}

/** A failed run or a refused start. `replay` returns undefined if somebody has replayed it in the meantime. */
interface Failure {
  id: string;
  replay(db: Db, actor: Actor): Promise<{ id: string } | { refusal: string } | undefined>;
}

async function failuresOf(
  db: Db,
  orgId: string,
  { workflowId, step, code, before, limit }: z.output<typeof FailedPage>,
): Promise<{ rows: Failure[]; next: string | undefined }> {
  const start = parseRefusedStart(step);
  if (start) {
    const page = await searchRefusedDeliveries(db, orgId, { ...start, workflowId, code }, { before, limit });
    const rows = page.rows.map(({ id }): Failure => ({
      id,
      replay: (on, actor) => replayRefused(on, actor, id, workflowId),
    }));
    return { rows, next: page.next };
  }
  const { rows, next } = await searchRuns(db, orgId, { workflowId, step, code, before, limit, status: 'failed' });
  const open = rows.filter(({ is_replayed: isReplayed }) => !isReplayed);
  return { rows: open.map((run) => ({ id: run.id, replay: (on, actor) => replayRun(on, actor, run) })), next };
}

/**
 * Reads the `step` of a problem of refused starts, which is `TRIGGER_ID/INPUT`. Returns undefined for the step of
 * failed runs, which never contains a slash.
 */
function parseRefusedStart(step: string): { triggerId: string; input: string } | undefined {
  const [triggerId = '', input, ...more] = step.split('/');
  return isUuid(triggerId) && input !== undefined && more.length === 0 ? { triggerId, input } : undefined;
}

/** Starts a workflow for a delivery that lists it as refused. Returns undefined if it was started in the meantime. */
async function replayRefused(db: Db, actor: Actor, id: string, workflowId: string) {
  const delivery = await lockDelivery(db, actor.orgId, id);
  if (!delivery) return { refusal: 'The delivery was deleted.' };
  const isOpen = delivery.skipped?.some((each) => isRefused(each) && each.workflow_id === workflowId);
  return isOpen ? startAudited(db, actor, delivery, workflowId) : undefined;
}

/** Replays a failed run. Returns undefined if somebody has retried or replayed it in the meantime. */
async function replayRun(db: Db, actor: Actor, run: Run) {
  if (!(await lockFailedRun(db, actor.orgId, run.id))) return undefined;
  const delivery = await findDelivery(db, actor.orgId, run.delivery_id);
  if (!delivery) return { refusal: 'The delivery was deleted.' };
  return startAudited(db, actor, delivery, run.workflow_id);
}

async function startAudited(db: Db, actor: Actor, delivery: DeliveryDetail, workflowId: string) {
  const started = await startOneAnew(db, delivery, workflowId);
  if ('refusal' in started) return started;
  const row = { id: delivery.id, name: delivery.trigger, trigger_id: delivery.trigger_id, runs: [started.id] };
  await writeAuditEvent(db, actor, 'delivery.replayed', { row });
  return started;
}

/**
 * Replays failed runs or refused starts page by page, newest first, like `retryFailedRuns`. `next` is set if the limit
 * was reached and older failures may be left.
 */
export async function replayFailedRuns(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedRuns>,
): Promise<ReplayedPage> {
  const { limit, before, ...which } = readInput(FailedRuns, input);
  const all: ReplayedPage = { started: [], refused: [], next: before };
  do {
    const wanted = Math.min(pageRuns, limit - all.started.length - all.refused.length);
    const page = await replayFailedPage(context, actor, { ...which, before: all.next, limit: wanted });
    all.started.push(...page.started);
    all.refused.push(...page.refused);
    all.next = page.next;
  } while (all.next !== undefined && all.started.length + all.refused.length < limit);
  return all;
}
