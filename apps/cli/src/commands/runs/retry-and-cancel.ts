import { uuid } from '@relata/schemas';
import { cancelRun, type ChangedRun, retryFailedRuns, retryRuns } from '@relata/workflows/runs';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext } from '../../command/command.ts';
import { ofOrganization } from '../orgs/organization-option.ts';
import { flag, value, values } from '../../command/parameter.ts';
import type { Result } from '../../output/print-result.ts';
import { requireRun } from './run-reference.ts';
import { wholeNumber } from '../../command/whole-number.ts';
import { requireWorkflow } from '../workflows/workflow-reference.ts';

const namedMax = 100;
const bulkMax = 10_000;

export const retry = command({
  name: 'retry',
  summary: 'Resume failed runs from the step that failed',
  arguments: { runs: values('RUN...', z.array(uuid()).max(namedMax).default([]), 'Ids of failed runs') },
  options: {
    latest: flag('Use the newest version of the workflow; finished steps must be unchanged in it'),
    all_failed: flag('All failed runs of an organization, newest first, instead of ids'),
    org: ofOrganization,
    workflow: value('WORKFLOW', z.string().min(1).optional(), 'With --all-failed: only those of this workflow'),
    step: value(
      'STEP',
      z.string().min(1).optional(),
      'With --all-failed: only those that failed at this step; - for none',
    ),
    code: value('CODE', z.string().min(1).optional(), 'With --all-failed: only those of this error'),
    limit: value(
      'N',
      wholeNumber(1, bulkMax).default(1_000),
      'With --all-failed: maximum number of runs (default: 1000)',
    ),
  },
  examples: [
    'runs retry RUN_ID',
    'runs retry RUN_ID --latest',
    'runs retry --all-failed --org ORG_ID --workflow inbound-lead',
    'runs retry --all-failed --org ORG_ID --workflow inbound-lead --step notify --code bad_status',
    'runs retry --all-failed --org ORG_ID --workflow inbound-lead --latest',
  ],
  check: ({ runs, all_failed, org, workflow, step, code }) => {
    if (runs.length > 0 === all_failed) return 'Give the ids of runs, or --all-failed.';
    if (all_failed) return org === undefined ? '--org: Is required with --all-failed.' : undefined;
    const [narrowing] = Object.entries({ workflow, step, code }).find(([, given]) => given !== undefined) ?? [];
    return narrowing && `--${narrowing}: Requires --all-failed.`;
  },
  run: async (context, { runs: ids, org, latest, workflow, ...bulk }): Promise<Result> => {
    if (ids.length === 0) return retryAll(context, org!, workflow, { ...bulk, isLatest: latest });
    const retried = await retryNamed(context, ids, org, latest);
    return retried.length === 1 ? { ...retried[0]! } : retried.map((run) => ({ ...run }));
  },
  columns: ['id', 'workflow', 'version', 'latest_version', 'status'],
  note: (retried) => {
    const runs: RetriedRow[] = Array.isArray(retried) ? retried : [retried];
    return runs.flatMap((run) => run.refusal ?? versionText(run)).join('\n');
  },
});

/** A run that was queued, or one that was left as it is and why. */
type RetriedRow = Partial<ChangedRun> & { refusal?: string };

/** Of a run that goes on with an older version than there is. */
function versionText({ id, version, latest_version: latest }: Partial<ChangedRun>): string[] {
  if (version === latest) return [];
  return [`${id} goes on with version ${version}; the newest is ${latest}. To take that: relata runs retry --latest`];
}

async function retryNamed(
  context: CommandContext,
  ids: readonly string[],
  orgId: string | undefined,
  isLatest: boolean,
) {
  const owners = new Set<string>();
  for (const id of ids) owners.add(await ownerOf(context, id, orgId));
  if (owners.size > 1)
    throw new CliError('validation_error', 'The runs belong to several organizations: give those of one.');
  const [owner] = owners;
  return retryRuns(context, context.actorIn(owner!), ids, { isLatest });
}

async function ownerOf({ database }: CommandContext, id: string, orgId: string | undefined): Promise<string> {
  const { org_id: owner } = await requireRun(database, id);
  if ((orgId ?? owner) === owner) return owner;
  throw new CliError('not_found', `The run ${id} belongs to another organization.`);
}

interface Bulk {
  step: string | undefined;
  code: string | undefined;
  limit: number;
  isLatest: boolean;
}

async function retryAll(
  context: CommandContext,
  orgId: string,
  nameOrId: string | undefined,
  { step, code, limit, isLatest }: Bulk,
) {
  const workflow = nameOrId === undefined ? undefined : await requireWorkflow(context.database, nameOrId, orgId);
  const { retried, refused } = await retryFailedRuns(context, context.actorIn(orgId), {
    workflowId: workflow?.id,
    step,
    code,
    limit,
    isLatest,
  });
  const left = refused.map(({ id, message }) => ({ id, status: 'failed', refusal: message }));
  return [...retried.map((run) => ({ ...run })), ...left];
}

export const cancel = command({
  name: 'cancel',
  summary: 'Cancel a run that has not ended; the effects of its finished steps stay',
  arguments: { run: value('RUN', uuid(), 'Id of the run') },
  examples: ['runs cancel RUN_ID'],
  run: async (context, { run: id }) => {
    const { org_id: orgId } = await requireRun(context.database, id);
    return { ...(await cancelRun(context, context.actorIn(orgId), id)) };
  },
});
