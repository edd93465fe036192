import { uuid } from '@relata/schemas';
import { listAllRuns, listRuns, runStatuses } from '@relata/workflows';
import { z } from 'zod';
import { command, type Noun } from './command.ts';
import { ofOrganization, requireOrganization } from './organization.option.ts';
import { page } from './page.options.ts';
import { value } from './parameter.ts';
import { cancel, requireRun, retry } from './runs.control.ts';
import { describeRun, runsText, runText } from './runs.view.ts';
import { requireWorkflow } from './workflow.reference.ts';

const list = command({
  name: 'list',
  summary: 'List runs, the newest first',
  options: {
    org: { ...ofOrganization, description: 'Only those of this organization' },
    status: value('S', z.enum(runStatuses).optional(), `Only those that are ${runStatuses.join(', ')}`),
    workflow: value('WORKFLOW', z.string().min(1).optional(), 'Only those of this workflow: its id or name'),
    ...page,
  },
  examples: ['runs list --status failed', 'runs list --org ORG_ID --workflow inbound-lead --limit 100'],
  run: async ({ database }, { org, workflow, ...filter }) => {
    if (org !== undefined) await requireOrganization(database, org);
    if (workflow !== undefined) {
      const { org_id: orgId, id } = await requireWorkflow(database, workflow, org);
      return (await listRuns(database, orgId, { ...filter, workflowId: id })).map((run) => ({ ...run }));
    }
    const found = org === undefined ? listAllRuns(database, filter) : listRuns(database, org, filter);
    return (await found).map((run) => ({ ...run }));
  },
  view: (found) => runsText(found),
});

const show = command({
  name: 'show',
  summary: 'Show a run: its steps with their attempts, times, inputs, outputs and errors',
  arguments: { run: value('RUN', uuid(), 'Id of the run') },
  examples: ['runs show RUN_ID'],
  run: async ({ database }, { run }) => describeRun(await requireRun(database, run)),
  view: (found) => runText(found),
});

export const runs: Noun = {
  name: 'runs',
  summary: 'Workflows at work: what each delivery started',
  commands: [list, show, retry, cancel],
};
