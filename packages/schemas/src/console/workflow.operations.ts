import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { nameText, text } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrg, pathOrgAndId } from './shared/console-path.ts';
import { pageOf, pageQuery, time } from './shared/page.schema.ts';
import {
  DefinitionFault,
  ListedWorkflow,
  PublishedWorkflow,
  Workflow,
  WorkflowVersion,
} from './shared/workflow.schema.ts';

const workflows = `${orgPath}/workflows` as const;

const versionMax = 2_147_483_647;
const aVersion = () => queryInteger({ min: 1, max: versionMax }).optional();

const definition = {
  text: text({ min: 1, max: 262_144 }).meta({
    description: 'The definition in JSON, as `relata workflows apply` takes it.',
  }),
};
const note = nameText().optional().meta({ description: 'Why, for those who read the list of versions.' });

const exampleOf = (name: string) =>
  JSON.stringify({
    name,
    inputs: { email: { type: 'string', required: true } },
    steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
  });

export const listWorkflows = operation({
  id: 'listWorkflows',
  method: 'get',
  path: workflows,
  summary: 'List the workflows',
  permission: 'read',
  params: pathOrg,
  success: {
    status: 200,
    description: 'The workflows by name, a thousand at most.',
    body: z.object({
      data: z.array(ListedWorkflow),
      runs_since: time.meta({ description: '24 hours ago; less where more than 10,000 runs began in them.' }),
    }),
  },
});

export const createWorkflow = operation({
  id: 'createWorkflow',
  method: 'post',
  path: workflows,
  summary: 'Publish the first version of a workflow',
  permission: 'manage',
  params: pathOrg,
  body: z.strictObject({ ...definition, note }),
  example: { text: exampleOf('welcome') },
  success: { status: 201, description: 'What was made.', body: dataOf(PublishedWorkflow) },
  errors: ['conflict'],
});

export const checkWorkflow = operation({
  id: 'checkWorkflow',
  method: 'post',
  path: `${workflows}/check`,
  summary: 'Check a definition, without publishing it',
  permission: 'manage',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject(definition),
  example: { text: exampleOf('welcome') },
  success: {
    status: 200,
    description: 'What is wrong with it, and what its author perhaps did not intend.',
    body: dataOf(z.object({ faults: z.array(DefinitionFault), warnings: z.array(DefinitionFault) })),
  },
});

export const getWorkflow = operation({
  id: 'getWorkflow',
  method: 'get',
  path: `${workflows}/{id}`,
  summary: 'Read a workflow with the definition of a version',
  permission: 'read',
  params: pathOrgAndId,
  query: z.strictObject({ version: aVersion().meta({ description: 'The newest unless given.' }) }),
  success: { status: 200, description: 'The workflow.', body: dataOf(Workflow) },
});

export const listWorkflowVersions = operation({
  id: 'listWorkflowVersions',
  method: 'get',
  path: `${workflows}/{id}/versions`,
  summary: 'List the versions of a workflow',
  permission: 'read',
  params: pathOrgAndId,
  query: z.strictObject({
    limit: pageQuery.limit,
    before: aVersion().meta({ description: 'Only versions before this one.' }),
  }),
  success: { status: 200, description: 'Versions, the newest first.', body: pageOf(WorkflowVersion) },
});

export const publishWorkflow = operation({
  id: 'publishWorkflow',
  method: 'post',
  path: `${workflows}/{id}/publish`,
  summary: 'Publish another version of a workflow',
  description: 'Only as the successor of the version that it was made from. New runs take it at once.',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({
    ...definition,
    note,
    base_version: z.int().min(1).max(versionMax).meta({ description: 'The newest version that its author has seen.' }),
  }),
  example: { text: exampleOf('inbound-lead'), base_version: 1, note: 'Forms are logged' },
  success: { status: 200, description: 'What was made.', body: dataOf(PublishedWorkflow) },
  errors: ['conflict'],
});
