import { z } from 'zod';
import { longText, uuid } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { wholeListSchema, id, time } from './shared/page.schema.ts';
import { FailingStep } from './shared/run.schema.ts';
import { Mapping, Trigger } from './shared/trigger.schema.ts';

const Assigned = z.strictObject({
  workflow_id: uuid(),
  inputs: Mapping,
  /** Expression that must be true for a delivery to start the workflow. */
  filter: longText(1).nullish(),
});

const example = {
  workflow_id: '019a1b2c-0000-7000-8000-000000000001',
  inputs: { email: 'payload.user.email', source: { const: 'website' } },
  filter: 'payload.event == "signup"',
};

export const listAssignable = consoleOperation('get', '/orgs/{org}/triggers/{id}/assignable', {
  permission: 'read',
  success: { status: 200, body: wholeListSchema(z.object({ id, name: z.string(), version: z.int() })) },
});

export const assignWorkflow = consoleOperation('post', '/orgs/{org}/triggers/{id}/assignments', {
  permission: 'manage',
  body: Assigned,
  example,
  success: { status: 200, body: dataSchema(Trigger) },
  errors: ['conflict'],
});

export const unassignWorkflow = consoleOperation('post', '/orgs/{org}/triggers/{id}/assignments/remove', {
  permission: 'manage',
  body: z.strictObject({ workflow_id: uuid() }),
  example: { workflow_id: example.workflow_id },
  success: { status: 200, body: dataSchema(Trigger) },
});

const Input = z.object({
  name: z.string(),
  type: z.string(),
  format: z.string().nullable(),
  /** False for an input with a default. */
  required: z.boolean(),
  description: z.string().nullable(),
  has_default: z.boolean(),
});

const PreviewedDelivery = z.object({
  id,
  received_at: time,
  bytes: z.int(),
  /**
   * `fails`: the delivery would start a run that is sure to fail. `not_judged`: the limits were reached, or the filter
   * has a fault.
   */
  verdict: z.enum(['starts', 'fails', 'filtered', 'filter_failed', 'refused', 'not_judged']),
  fails: FailingStep.nullable(),
  /** Reason why the filter failed; null if it did not. */
  message: z.string().nullable(),
  /** Inputs that the delivery does not satisfy, each with the reason. */
  problems: z.array(z.object({ input: z.string(), message: z.string() })),
  /** Value of each input, as JSON; cut at 200 characters. */
  inputs: z.record(z.string(), z.string()),
});

const Preview = z.object({
  workflow: z.object({ id, name: z.string(), version: z.int(), inputs: z.array(Input) }),
  /** Faults of the mapping, which prevent saving it; `input` is null for the filter. */
  faults: z.array(z.object({ input: z.string().nullable(), message: z.string() })),
  deliveries: z.array(PreviewedDelivery),
  /** The limit that kept some deliveries from being previewed. */
  limit_reached: z.enum(['bytes', 'time']).nullable(),
});

export type Preview = z.output<typeof Preview>;

export const previewAssignment = consoleOperation('post', '/orgs/{org}/triggers/{id}/preview', {
  permission: 'manage',
  onlyReads: true,
  body: z.strictObject({
    ...Assigned.shape,
    limit: z.int().min(1).max(20).default(20),
  }),
  example,
  success: { status: 200, body: dataSchema(Preview) },
  errors: ['conflict'],
});
