import { z } from 'zod';
import { freeText, uuid } from '../fields/text.ts';
import { dataOf } from '../list.ts';
import { operation } from '../operation.ts';
import { orgPath, pathOrgAndId } from './shared/console-path.ts';
import { allOf, id, time } from './shared/page.schema.ts';
import { FailingStep } from './shared/run.schema.ts';
import { Mapping, Trigger } from './trigger.operations.ts';

const trigger = `${orgPath}/triggers/{id}` as const;

const Assigned = z.strictObject({
  workflow_id: uuid(),
  inputs: Mapping,
  filter: freeText(1)
    .nullish()
    .meta({ description: 'An expression: only deliveries of which it holds start the workflow.' }),
});

const example = {
  workflow_id: '019a1b2c-0000-7000-8000-000000000001',
  inputs: { email: 'payload.user.email', source: { const: 'website' } },
  filter: 'payload.event == "signup"',
};

export const listAssignable = operation({
  id: 'listAssignable',
  method: 'get',
  path: `${trigger}/assignable`,
  summary: 'List the workflows that a trigger can start',
  permission: 'read',
  params: pathOrgAndId,
  success: {
    status: 200,
    description: 'The first 1,000 by name.',
    body: allOf(z.object({ id, name: z.string(), version: z.int() })),
  },
});

export const assignWorkflow = operation({
  id: 'assignWorkflow',
  method: 'post',
  path: `${trigger}/assignments`,
  summary: 'Let a trigger start a workflow, or replace how',
  permission: 'manage',
  params: pathOrgAndId,
  body: Assigned,
  example,
  success: { status: 200, description: 'The trigger as it is now.', body: dataOf(Trigger) },
  errors: ['conflict'],
});

export const unassignWorkflow = operation({
  id: 'unassignWorkflow',
  method: 'post',
  path: `${trigger}/assignments/remove`,
  summary: 'Let a trigger start a workflow no more; runs that it started go on',
  permission: 'manage',
  params: pathOrgAndId,
  body: z.strictObject({ workflow_id: uuid() }),
  example: { workflow_id: example.workflow_id },
  success: { status: 200, description: 'The trigger as it is now.', body: dataOf(Trigger) },
});

const Input = z.object({
  name: z.string(),
  type: z.string(),
  format: z.string().nullable(),
  required: z.boolean().meta({ description: 'Whether it needs a value; one with a default has one.' }),
  description: z.string().nullable(),
  has_default: z.boolean(),
});

const Judged = z.object({
  id,
  received_at: time,
  bytes: z.int(),
  verdict: z.enum(['starts', 'fails', 'filtered', 'filter_failed', 'refused', 'not_judged']).meta({
    description:
      'What it would come to; `fails` starts a run that is sure to fail, `not_judged` is beyond the limits, or the filter is at fault.',
  }),
  fails: FailingStep.nullable(),
  message: z.string().nullable().meta({ description: 'Why its filter failed.' }),
  problems: z.array(z.object({ input: z.string(), message: z.string() })).meta({ description: 'Why it is refused.' }),
  inputs: z
    .record(z.string(), z.string())
    .meta({ description: 'What each input would get, as JSON; cut at 200 characters.' }),
});

export const Preview = z.object({
  workflow: z.object({ id, name: z.string(), version: z.int(), inputs: z.array(Input) }),
  faults: z.array(z.object({ input: z.string().nullable(), message: z.string() })).meta({
    description:
      'What is wrong with the mapping itself, at each input; `null` for the filter. With one it cannot be saved.',
  }),
  deliveries: z.array(Judged).meta({ description: 'The newest first.' }),
  limit_reached: z.enum(['bytes', 'time']).nullable().meta({ description: 'Why not all of them were judged.' }),
});

export type Preview = z.output<typeof Preview>;

export const previewAssignment = operation({
  id: 'previewAssignment',
  method: 'post',
  path: `${trigger}/preview`,
  summary: 'Judge a mapping and a filter on the last deliveries of a trigger; nothing is written',
  permission: 'manage',
  onlyReads: true,
  params: pathOrgAndId,
  body: z.strictObject({
    ...Assigned.shape,
    limit: z.int().min(1).max(20).default(20).meta({ description: 'How many of the last deliveries.' }),
  }),
  example,
  success: { status: 200, description: 'What would come of each.', body: dataOf(Preview) },
  errors: ['conflict'],
});
