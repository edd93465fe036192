import { z } from 'zod';
import { queryInteger } from '../fields/numbers.ts';
import { nameText, text } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { pageSchema, pageQuery, time } from './shared/page.schema.ts';
import {
  DefinitionFault,
  ListedWorkflow,
  PublishedWorkflow,
  Workflow,
  WorkflowVersion,
} from './shared/workflow.schema.ts';

const versionMax = 2_147_483_647;
const aVersion = () => queryInteger({ min: 1, max: versionMax }).optional();

const definition = { text: text({ min: 1, max: 262_144 }) };
/** Shown in the version history. */
const note = nameText().optional();

const exampleOf = (name: string) =>
  JSON.stringify({
    name,
    inputs: { email: { type: 'string', required: true } },
    steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
  });

export const listWorkflows = consoleOperation('get', '/orgs/{org}/workflows', {
  permission: 'read',
  success: {
    status: 200,
    body: z.object({
      data: z.array(ListedWorkflow),
      /** 24 hours ago, or later if at least 10,000 runs have started since. */
      runs_since: time,
    }),
  },
});

export const createWorkflow = consoleOperation('post', '/orgs/{org}/workflows', {
  permission: 'manage',
  body: z.strictObject({ ...definition, note }),
  example: { text: exampleOf('welcome') },
  success: { status: 201, body: dataSchema(PublishedWorkflow) },
  errors: ['conflict'],
});

export const checkWorkflow = consoleOperation('post', '/orgs/{org}/workflows/check', {
  permission: 'manage',
  onlyReads: true,
  body: z.strictObject(definition),
  example: { text: exampleOf('welcome') },
  success: {
    status: 200,
    body: dataSchema(z.object({ faults: z.array(DefinitionFault), warnings: z.array(DefinitionFault) })),
  },
});

export const getWorkflow = consoleOperation('get', '/orgs/{org}/workflows/{id}', {
  permission: 'read',
  query: z.strictObject({ version: aVersion() }),
  success: { status: 200, body: dataSchema(Workflow) },
});

export const listWorkflowVersions = consoleOperation('get', '/orgs/{org}/workflows/{id}/versions', {
  permission: 'read',
  query: z.strictObject({ limit: pageQuery.limit, before: aVersion() }),
  success: { status: 200, body: pageSchema(WorkflowVersion) },
});

/** Refused if a newer version than `base_version` exists. New runs use the published version immediately. */
export const publishWorkflow = consoleOperation('post', '/orgs/{org}/workflows/{id}/publish', {
  permission: 'manage',
  body: z.strictObject({
    ...definition,
    note,
    /** The newest version that the author has seen. */
    base_version: z.int().min(1).max(versionMax),
  }),
  example: { text: exampleOf('inbound-lead'), base_version: 1, note: 'Forms are logged' },
  success: { status: 200, body: dataSchema(PublishedWorkflow) },
  errors: ['conflict'],
});
