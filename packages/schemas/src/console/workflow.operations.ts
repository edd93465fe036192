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
  text: text({ min: 1, max: 262_144 }),
};
/** Shown in the version history. */
const note = nameText().optional();

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
  permission: 'read',
  params: pathOrg,
  success: {
    status: 200,
    body: z.object({
      data: z.array(ListedWorkflow),
      /** 24 hours ago, or later if more than 10,000 runs have started since. */
      runs_since: time,
    }),
  },
});

export const createWorkflow = operation({
  id: 'createWorkflow',
  method: 'post',
  path: workflows,
  permission: 'manage',
  params: pathOrg,
  body: z.strictObject({ ...definition, note }),
  example: { text: exampleOf('welcome') },
  success: { status: 201, body: dataOf(PublishedWorkflow) },
  errors: ['conflict'],
});

export const checkWorkflow = operation({
  id: 'checkWorkflow',
  method: 'post',
  path: `${workflows}/check`,
  permission: 'manage',
  onlyReads: true,
  params: pathOrg,
  body: z.strictObject(definition),
  example: { text: exampleOf('welcome') },
  success: {
    status: 200,
    body: dataOf(z.object({ faults: z.array(DefinitionFault), warnings: z.array(DefinitionFault) })),
  },
});

export const getWorkflow = operation({
  id: 'getWorkflow',
  method: 'get',
  path: `${workflows}/{id}`,
  permission: 'read',
  params: pathOrgAndId,
  query: z.strictObject({ version: aVersion() }),
  success: { status: 200, body: dataOf(Workflow) },
});

export const listWorkflowVersions = operation({
  id: 'listWorkflowVersions',
  method: 'get',
  path: `${workflows}/{id}/versions`,
  permission: 'read',
  params: pathOrgAndId,
  query: z.strictObject({
    limit: pageQuery.limit,
    before: aVersion(),
  }),
  success: { status: 200, body: pageOf(WorkflowVersion) },
});

/** Refused if a newer version than `base_version` exists. New runs use the published version immediately. */
export const publishWorkflow = operation({
  id: 'publishWorkflow',
  method: 'post',
  path: `${workflows}/{id}/publish`,
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({
    ...definition,
    note,
    /** The newest version that the author has seen. */
    base_version: z.int().min(1).max(versionMax),
  }),
  example: { text: exampleOf('inbound-lead'), base_version: 1, note: 'Forms are logged' },
  success: { status: 200, body: dataOf(PublishedWorkflow) },
  errors: ['conflict'],
});
