import type { Db } from '@relata/db';
import { type Actor, type Bus, type OperationContext, readInput, writeAuditEvent } from '@relata/events';
import { runsPerMessageMax, runsReady } from '@relata/messaging';
import { shortText, uuid } from '@relata/schemas';
import { AppError, orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import { reopenWithLatest } from './latest-version.ts';
import { endRun, reopenRun } from './run-control.sql.ts';
import { searchRuns } from './run-list.sql.ts';
import { findRunHead, type Run } from './run.sql.ts';

const namedMax = 100;
const bulkMax = 10_000;
const pageRuns = 200;

/** Notifies workers of queued runs. Without NATS, the sweep of a worker finds the runs a few seconds later. */
export async function notifyWorkers(bus: Bus, orgId: string, runIds: readonly string[]): Promise<void> {
  for (let start = 0; start < runIds.length; start += runsPerMessageMax) {
    const some = runIds.slice(start, start + runsPerMessageMax);
    await bus.enqueue(runsReady, { runs: some.map((id) => [orgId, id]) });
  }
}

/** A run as returned by an operation, with its current state. */
export type ChangedRun = Pick<
  Run,
  'id' | 'org_id' | 'workflow_id' | 'workflow' | 'version' | 'latest_version' | 'delivery_id' | 'status'
>;

function changedRun(run: Run, status: Run['status']): ChangedRun {
  const { id, org_id, workflow_id, workflow, version, latest_version, delivery_id } = run;
  return { id, org_id, workflow_id, workflow, version, latest_version, delivery_id, status };
}

/** Writes the event of a retried or cancelled run, whose row the change has locked. */
async function writeRunEvent(
  db: Db,
  actor: Actor,
  type: 'run.retried' | 'run.cancelled',
  { before, run }: { before: Pick<Run, 'version' | 'status'>; run: ChangedRun },
): Promise<void> {
  const row = { ...run, name: run.workflow };
  await writeAuditEvent(db, actor, type, { before: { ...row, version: before.version, status: before.status }, row });
}

const RunIds = z.array(uuid()).min(1).max(namedMax).readonly();

/**
 * Retries runs from the step that failed: all of them, or none if one is missing, did not fail, or cannot continue with
 * the newest version. If `isLatest` is true, they use that version instead of their own.
 */
export async function retryRuns(
  { database, bus }: OperationContext,
  actor: Actor,
  ids: z.input<typeof RunIds>,
  { isLatest = false }: { isLatest?: boolean } = {},
): Promise<ChangedRun[]> {
  const wanted = [...new Set(readInput(RunIds, ids))];
  const retried = await database.transaction(async (db) => {
    const runs = new Map<string, ChangedRun>();
    // Locks the newest runs first, like a page of a bulk retry, so that the two do not deadlock.
    for (const id of wanted.toSorted().toReversed())
      runs.set(id, await retryOne(db, actor, id, { isLatest, evenReplayed: true }));
    return wanted.map((id) => runs.get(id)!);
  });
  await notifyWorkers(bus, actor.orgId, wanted);
  return retried;
}

async function retryOne(
  db: Db,
  actor: Actor,
  id: string,
  { isLatest, evenReplayed }: { isLatest: boolean; evenReplayed: boolean },
): Promise<ChangedRun> {
  const { orgId } = actor;
  const { version } = await getRun(db, orgId, id);
  const isReopened = await (isLatest ? reopenWithLatest : reopenRun)(db, orgId, id, evenReplayed);
  const found = await getRun(db, orgId, id);
  const { status } = found;
  if (!isReopened && status === 'failed') throw new AppError('conflict', `The run ${id} was replayed meanwhile.`);
  if (!isReopened) throw new AppError('conflict', `The run ${id} is ${status}. Only failed runs can be retried.`);
  const run = changedRun(found, status);
  await writeRunEvent(db, actor, 'run.retried', { before: { version, status: 'failed' }, run });
  return run;
}

/** Selects failed runs by workflow, step and code, as `listProblems` returns them, and says how to retry them. */
const conditions = {
  workflowId: uuid().optional(),
  step: shortText().optional(),
  code: shortText().optional(),
  /** Only runs older than the run with this id. */
  before: uuid().optional(),
  /** True to use the newest version of the workflow instead of each run's own. */
  isLatest: z.boolean().default(false),
};

const FailedRuns = z.strictObject({ ...conditions, limit: z.int().min(1).max(bulkMax).default(1_000) });
const FailedPage = z.strictObject({ ...conditions, limit: z.int().min(1).max(pageRuns).default(pageRuns) });

/**
 * Retries the matching failed runs of an organization, newest first, except those that were replayed since. Works page
 * by page, so that neither a transaction nor a list grows with the number of failures. If a page fails, the runs of the
 * pages before it stay retried. `next` is set if older runs may be left beyond the limit.
 */
export async function retryFailedRuns(
  context: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedRuns>,
): Promise<RetriedPage> {
  const { limit, before, ...which } = readInput(FailedRuns, input);
  const all: RetriedPage = { retried: [], refused: [], next: before };
  do {
    const wanted = Math.min(pageRuns, limit - all.retried.length - all.refused.length);
    const page = await retryFailedPage(context, actor, { ...which, before: all.next, limit: wanted });
    all.retried.push(...page.retried);
    all.refused.push(...page.refused);
    all.next = page.next;
  } while (all.next !== undefined && all.retried.length + all.refused.length < limit);
  return all;
}

/** A run that was left unchanged, and the reason. */
export interface RefusedRun {
  id: string;
  message: string;
}

/** A page of a bulk retry: the runs that were queued, and the runs that cannot continue. */
export interface RetriedPage {
  retried: ChangedRun[];
  refused: RefusedRun[];
  /** The id to continue before; undefined after the last page. */
  next: string | undefined;
}

/**
 * Retries one page of `retryFailedRuns`, at most 200 runs, for a caller who shows progress. Examines at most 10,000
 * failed runs, so that a page may be empty and still be followed by another page.
 */
export async function retryFailedPage(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof FailedPage>,
): Promise<RetriedPage> {
  const { orgId } = actor;
  const { isLatest, ...which } = readInput(FailedPage, input);
  const { rows, next } = await searchRuns(database, orgId, { ...which, status: 'failed' });
  const open = rows.filter(({ is_replayed: isReplayed }) => !isReplayed);
  const page = isLatest
    ? await retryPageWithLatest(database, actor, open)
    : { retried: await database.transaction((db) => retryPage(db, actor, open)), refused: [] };
  const ids = page.retried.map(({ id }) => id);
  await notifyWorkers(bus, orgId, ids);
  return { ...page, next };
}

/**
 * Retries each run in its own transaction, so that a run that cannot continue does not affect the others. A run that
 * was replayed after the page was read stays unchanged.
 */
async function retryPageWithLatest(database: OperationContext['database'], actor: Actor, page: readonly Run[]) {
  const retried: ChangedRun[] = [];
  const refused: RefusedRun[] = [];
  for (const { id } of page) {
    try {
      retried.push(
        await database.transaction((db) => retryOne(db, actor, id, { isLatest: true, evenReplayed: false })),
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ id, message: error.message });
    }
  }
  return { retried, refused };
}

async function retryPage(db: Db, actor: Actor, page: readonly Run[]): Promise<ChangedRun[]> {
  const retried: ChangedRun[] = [];
  for (const before of page) {
    if (!(await reopenRun(db, before.org_id, before.id, false))) continue;
    const run = changedRun(before, 'queued');
    await writeRunEvent(db, actor, 'run.retried', { before: { ...before, status: 'failed' }, run });
    retried.push(run);
  }
  return retried;
}

/** Cancels a run; the effects of its steps stay. Throws `conflict` if it has ended. */
export async function cancelRun(
  { database }: Pick<OperationContext, 'database'>,
  actor: Actor,
  id: string,
): Promise<ChangedRun> {
  const { orgId } = actor;
  return database.transaction(async (db) => {
    const before = await getRun(db, orgId, id);
    if (await endRun(db, orgId, id)) {
      const run = changedRun(before, 'cancelled');
      await writeRunEvent(db, actor, 'run.cancelled', { before, run });
      return run;
    }
    const { status } = await getRun(db, orgId, id);
    throw new AppError('conflict', `The run ${id} has already ended. Its status is ${status}.`);
  });
}

async function getRun(db: Db, orgId: string, id: string): Promise<Run> {
  return orNotFound(await findRunHead(db, orgId, id), `There is no run ${id}.`);
}
