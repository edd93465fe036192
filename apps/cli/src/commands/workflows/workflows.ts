import { orNotFound } from '@relata/schemas/errors';
import {
  findDefinition,
  listAssignmentsOfWorkflow,
  listVersions,
  listWorkflows,
  type Version,
  type Workflow,
} from '@relata/workflows';
import { command, type CommandContext, type CommandGroup } from '../../command/command.ts';
import { mappingText } from '../triggers/input-mapping-option.ts';
import { ofOrganization, org } from '../orgs/organization-option.ts';
import { value, integer } from '../../command/parameter.ts';
import { indented, recordText, tableText } from '../../output/result.format.ts';
import { requireWorkflow, workflowArgument } from './workflow-reference.ts';
import { apply, validate, versionMax } from './apply.ts';

const list = command({
  name: 'list',
  summary: 'List the workflows of an organization',
  options: { org },
  examples: ['workflows list --org ORG_ID'],
  columns: ['id', 'name', 'version', 'max_running', 'updated_at'],
  run: ({ database }, { org }) => listWorkflows(database, org),
});

const show = command({
  name: 'show',
  summary: 'Show a workflow: its definition, its versions and the triggers that start it',
  arguments: { workflow: { ...workflowArgument, resolve: requireWorkflow } },
  options: {
    org: ofOrganization,
    version: value('N', integer(1, versionMax).optional(), 'Version to show (default: the newest)'),
  },
  examples: ['workflows show inbound-lead', 'workflows show inbound-lead --version 2 --json'],
  run: (context, { workflow, version }) => describe(context, workflow, version),
  view: ({ definition, versions, triggers, ...workflow }) =>
    [
      recordText(workflow),
      `\nDEFINITION\n${indented(JSON.stringify(definition, null, 2))}`,
      `\nVERSIONS\n${tableText(versions, ['version', 'created_at', ['by', applier], 'note'])}`,
      `\nSTARTED BY\n${tableText(triggers, ['id', 'name', ['inputs', ({ inputs }) => mappingText(inputs)], 'filter'])}`,
    ].join('\n'),
});

const versionsShownMax = 100;

async function describe({ database: db, afterwards }: CommandContext, workflow: Workflow, version = workflow.version) {
  const { org_id: orgId, id } = workflow;
  const message = `The workflow ${workflow.name} has no version ${version}, only 1 to ${workflow.version}.`;
  const definition = orNotFound(await findDefinition(db, orgId, id, version), message);
  const assignments = await listAssignmentsOfWorkflow(db, orgId, id);
  const triggers = assignments.map(({ trigger_id, trigger, inputs, filter }) => {
    return { id: trigger_id, name: trigger, inputs, filter };
  });
  const versions = await listVersions(db, orgId, id, versionsShownMax);
  if (workflow.version > versionsShownMax) afterwards(`Only the newest ${versionsShownMax} versions are shown.`);
  return { ...workflow, version, newest_version: workflow.version, definition, versions, triggers };
}

const applier = ({ applied_by: by }: Version) => by && ('name' in by ? by.name : by.type);

export const workflows: CommandGroup = {
  name: 'workflows',
  summary: 'Workflow definitions, and their versions',
  commands: [apply, validate, list, show],
};
