import { uuid } from '@relata/schemas';
import {
  cancelRun,
  type ChangedRun,
  findRunHead,
  findRunOrganization,
  retryFailedRuns,
  retryRuns,
  type Run,
} from '@relata/workflows/runs';
import type { Workflow } from '@relata/workflows';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext } from '../../command/command.ts';
import { noteRest } from '../../command/page-options.ts';
import { ofOrganization } from '../orgs/organization-option.ts';
import { flag, lookUp, reference, value, values, integer } from '../../command/parameter.ts';
import { requireWorkflow } from '../workflows/workflow-reference.ts';

export const runReference = {
  noun: 'run',
  list: 'runs list',
  findOrganization: findRunOrganization,
  find: findRunHead,
};

const namedMax = 100;
const bulkMax = 10_000;

const failedRuns = {
  ...values('RUN...', z.array(uuid()).max(namedMax).default([]), 'Ids of failed runs'),
  resolve: lookUp(runReference),
};

export const retry = command({
  name: 'retry',
  summary: 'Resume failed runs from the step that failed',
  arguments: { runs: failedRuns },
  options: {
    latest: flag('Use the newest version of the workflow; finished steps must be unchanged in it'),
    all_failed: flag('All failed runs of an organization, newest first, instead of ids'),
    org: ofOrganization,
    workflow: {
      ...value('WORKFLOW', z.string().min(1).optional(), 'With --all-failed: only those of this workflow'),
      resolve: requireWorkflow,
    },
    step: value(
      'STEP',
      z.string().min(1).optional(),
      'With --all-failed: only those that failed at this step; - for those that failed outside a step',
    ),
    code: value('CODE', z.string().min(1).optional(), 'With --all-failed: only those with this error code'),
    limit: value('N', integer(1, bulkMax).default(1_000), 'With --all-failed: maximum number of runs (default: 1000)'),
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
  run: async (context, { runs, org, latest, all_failed: _all, ...bulk }): Promise<RetriedRow | RetriedRow[]> => {
    if (runs.length === 0) return retryAll(context, org!, { ...bulk, isLatest: latest });
    const retried = await retryNamed(context, runs, latest);
    return retried.length === 1 ? retried[0]! : retried;
  },
  columns: ['id', 'workflow', 'version', 'latest_version', 'status'],
  note: (retried) =>
    [retried]
      .flat()
      .flatMap((run) => run.refusal ?? versionText(run))
      .join('\n'),
});

/** A run that was queued, or a run that was left unchanged, with the reason in `refusal`. */
type RetriedRow = Partial<ChangedRun> & { refusal?: string };

/** Returns a note if a run continues with an older version than the latest. */
function versionText({ id, version, latest_version: latest }: Partial<ChangedRun>): string[] {
  if (version === latest) return [];
  return [`${id} continues with version ${version}; the newest is ${latest}. To use it: relata runs retry --latest`];
}

function retryNamed(context: CommandContext, runs: readonly Run[], isLatest: boolean) {
  const [owner, ...others] = new Set(runs.map(({ org_id: orgId }) => orgId));
  if (others.length > 0)
    throw new CliError('validation_error', 'The runs belong to several organizations. Give runs of one organization.');
  const ids = runs.map(({ id }) => id);
  return retryRuns(context, context.actorIn(owner!), ids, { isLatest });
}

interface Bulk {
  workflow: Workflow | undefined;
  step: string | undefined;
  code: string | undefined;
  limit: number;
  isLatest: boolean;
}

async function retryAll(context: CommandContext, orgId: string, { workflow, ...which }: Bulk) {
  const found = await retryFailedRuns(context, context.actorIn(orgId), { workflowId: workflow?.id, ...which });
  noteRest(context, found);
  const left = found.refused.map(({ id, message }) => ({ id, status: 'failed' as const, refusal: message }));
  return [...found.retried, ...left];
}

export const cancel = command({
  name: 'cancel',
  summary: 'Cancel a run that has not ended; the effects of its finished steps stay',
  arguments: { run: reference('RUN', 'Id of the run', runReference) },
  examples: ['runs cancel RUN_ID'],
  run: (context, { run: { org_id: orgId, id } }) => cancelRun(context, context.actorIn(orgId), id),
});
