import { listAllRuns, listRuns, runFilterStatuses } from '@relata/workflows/runs';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { onlyOrganization } from '../orgs/organization-option.ts';
import { recordText } from '../../output/result.format.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { optionalReference, reference, value } from '../../command/parameter.ts';
import { cancel, retry, runReference } from './retry-and-cancel.ts';
import { readRun, readStep } from './read-run.ts';
import { runColumns, runText } from './runs.view.ts';
import { triggerReference } from '../triggers/trigger-reference.ts';
import { requireWorkflow } from '../workflows/workflow-reference.ts';

const list = command({
  name: 'list',
  summary: 'List runs, the newest first',
  options: {
    org: onlyOrganization,
    status: value(
      'S',
      z.enum(runFilterStatuses).optional(),
      `Only runs with this status: ${runFilterStatuses.join(', ')}`,
    ),
    workflow: value('WORKFLOW', z.string().min(1).optional(), 'Only runs of this workflow: its id or name'),
    trigger: optionalReference('ID', 'Only runs that this trigger started', triggerReference),
    ...page,
  },
  examples: [
    'runs list --status failed',
    'runs list --status retrying',
    'runs list --org ORG_ID --workflow inbound-lead --limit 100',
    'runs list --trigger TRIGGER_ID',
  ],
  run: async (context, { org, workflow: nameOrId, trigger, ...filter }) => {
    const { database } = context;
    const owner = trigger?.org_id ?? org;
    const workflow = nameOrId === undefined ? undefined : await requireWorkflow(database, nameOrId, owner);
    const orgId = workflow?.org_id ?? owner;
    return shownPage(context, filter.limit, (limit) =>
      orgId === undefined
        ? listAllRuns(database, { ...filter, limit })
        : listRuns(database, orgId, { ...filter, limit, workflowId: workflow?.id, triggerId: trigger?.id }),
    );
  },
  columns: runColumns,
});

const show = command({
  name: 'show',
  summary: 'Show a run: its steps with their attempts, times, inputs, outputs and errors',
  arguments: { run: reference('RUN', 'Id of the run', runReference) },
  options: {
    step: value(
      'STEP',
      z.string().min(1).optional(),
      'Only the input and output of this step, such as each[2].contact',
    ),
  },
  examples: ['runs show RUN_ID', 'runs show RUN_ID --step notify'],
  run: async (context, { run, step }) => (step === undefined ? readRun(context, run) : readStep(context, run, step)),
  view: (found) => ('steps' in found ? runText(found) : recordText(found)),
});

export const runs: CommandGroup = {
  name: 'runs',
  summary: 'Executions of workflows',
  commands: [list, show, retry, cancel],
};
