import type { Database, Db } from '@relata/db';
import { uuid } from '@relata/schemas';
import {
  cancelRun,
  findRun,
  findRunOrganization,
  listRuns,
  retryRun,
  type Run,
  type RunDetail,
} from '@relata/workflows';
import { z } from 'zod';
import { ringWorkers } from './announce.ts';
import { CliError } from './cli.error.ts';
import { command, type CommandContext } from './command.ts';
import { ofOrganization, requireOrganization } from './organization.option.ts';
import { flag, value, values } from './parameter.ts';
import type { Result } from './result.print.ts';
import { wholeNumber } from './whole-number.ts';
import { requireWorkflow } from './workflow.reference.ts';

const namedMax = 100;
const bulkMax = 10_000;
const pageRuns = 200;

/** The run of this id, of whatever organization. */
export async function requireRun(db: Db, id: string): Promise<RunDetail> {
  const orgId = await findRunOrganization(db, id);
  const found = orgId === undefined ? undefined : await findRun(db, orgId, id);
  if (!found) throw new CliError('not_found', `There is no run ${id}. See: relata runs list`);
  return found;
}

export const retry = command({
  name: 'retry',
  summary: 'Let failed runs go on from the step that failed',
  arguments: { runs: values('RUN...', z.array(uuid()).max(namedMax).default([]), 'Ids of failed runs') },
  options: {
    all_failed: flag('All failed runs of an organization, the newest first, in place of ids'),
    org: ofOrganization,
    workflow: value('WORKFLOW', z.string().min(1).optional(), 'With --all-failed: only those of this workflow'),
    limit: value('N', wholeNumber(1, bulkMax).default(1_000), 'With --all-failed: how many at most; 1000 unless given'),
  },
  examples: ['runs retry RUN_ID', 'runs retry --all-failed --org ORG_ID --workflow inbound-lead'],
  check: ({ runs, all_failed, org, workflow }) => {
    if (runs.length > 0 === all_failed) return 'Name runs by their ids, or all of an organization by --all-failed.';
    if (all_failed) return org === undefined ? '--org: Is required with --all-failed.' : undefined;
    return workflow === undefined ? undefined : '--workflow: Goes with --all-failed only.';
  },
  run: async (context, { runs: ids, org, workflow, limit }): Promise<Result> => {
    if (ids.length === 0) return retryAll(context, org!, workflow, limit);
    const retried = await context.database.transaction((db) => retryNamed(db, [...new Set(ids)], org));
    await ringWorkers(context, retried);
    return retried.length === 1 ? retried[0]! : retried;
  },
  columns: ['id', 'workflow', 'status'],
});

const inBrief = ({ id, org_id, workflow_id, workflow, delivery_id }: Run, status: Run['status']) => {
  return { id, org_id, workflow_id, workflow, delivery_id, status };
};

/** All of them, or none. */
async function retryNamed(db: Db, ids: readonly string[], orgId: string | undefined) {
  const retried = [];
  for (const id of ids) {
    const run = await requireRun(db, id);
    if ((orgId ?? run.org_id) !== run.org_id)
      throw new CliError('not_found', `The run ${id} is of another organization.`);
    if (!(await retryRun(db, run.org_id, id))) {
      const { status } = await requireRun(db, id);
      throw new CliError('conflict', `The run ${id} is ${status}: only a failed one can be retried.`);
    }
    retried.push(inBrief(run, 'queued'));
  }
  return retried;
}

/** Page by page, so that neither a transaction nor a list grows with what has failed. */
async function retryAll(context: CommandContext, orgId: string, workflow: string | undefined, limit: number) {
  const { database } = context;
  await requireOrganization(database, orgId);
  const workflowId = workflow === undefined ? undefined : (await requireWorkflow(database, workflow, orgId)).id;
  const retried: ReturnType<typeof inBrief>[] = [];
  for (let before: string | undefined; retried.length < limit;) {
    const wanted = Math.min(pageRuns, limit - retried.length);
    const page = await listRuns(database, orgId, { status: 'failed', workflowId, limit: wanted, before });
    retried.push(...(await retryPage(database, page)).map((run) => inBrief(run, 'queued')));
    before = page.at(-1)?.id;
    if (page.length < wanted) break;
  }
  await ringWorkers(context, retried);
  return retried;
}

function retryPage(database: Database, page: readonly Run[]): Promise<Run[]> {
  return database.transaction(async (db) => {
    const retried: Run[] = [];
    for (const run of page) if (await retryRun(db, run.org_id, run.id)) retried.push(run);
    return retried;
  });
}

export const cancel = command({
  name: 'cancel',
  summary: 'End a run that has not ended; what its steps have done stays',
  arguments: { run: value('RUN', uuid(), 'Id of the run') },
  examples: ['runs cancel RUN_ID'],
  run: async ({ database }, { run: id }) => {
    const run = await requireRun(database, id);
    if (await database.transaction((db) => cancelRun(db, run.org_id, id))) return inBrief(run, 'cancelled');
    const { status } = await requireRun(database, id);
    throw new CliError('conflict', `The run ${id} has ended: it is ${status}.`);
  },
});
