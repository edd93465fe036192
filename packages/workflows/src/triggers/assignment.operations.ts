import { isDeepStrictEqual } from 'node:util';
import type { Db } from '@relata/db';
import { type Actor, type OperationContext, readInput } from '@relata/events';
import { longText, uuid } from '@relata/schemas';
import { AppError, validationError, orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import {
  type Assignment,
  deleteAssignment,
  findAssignment,
  type InputMapping,
  upsertAssignment,
} from './assignment.sql.ts';
import { writeAssignmentEvent } from './assignment-event.ts';
import type { Definition } from '../definitions/definition.ts';
import { readStoredDefinition } from '../definitions/read-stored-definition.ts';
import { checkAssignment } from './check-assignment.ts';
import { getLockedTrigger, publishTriggers } from './trigger.operations.ts';
import { findTrigger, lockTrigger, type Trigger } from './trigger.sql.ts';
import { findDefinition, findWorkflow, type Workflow } from '../definitions/workflow.sql.ts';

const inputsMax = 200;

export const NewAssignment = z.strictObject({
  triggerId: uuid(),
  workflowId: uuid(),
  /** Source of each input: a field like `payload.user.email`, or a constant. */
  inputs: z
    .record(z.string(), z.union([z.string(), z.strictObject({ const: z.unknown() })]))
    .refine((inputs) => Object.keys(inputs).length <= inputsMax, {
      message: `Must map at most ${inputsMax} inputs.`,
      params: { code: 'too_many' },
    }),
  /** An expression: only deliveries for which it is true start the workflow. */
  filter: longText(1).optional(),
});

/**
 * Assigns a workflow to a trigger, whose deliveries then start it. Assigning it again replaces mapping and filter.
 * Throws `validation_error` with every problem of the mapping.
 */
export async function assignWorkflow(
  { database, bus }: OperationContext,
  actor: Actor,
  input: z.input<typeof NewAssignment>,
): Promise<Assignment> {
  const { filter, ...made } = readInput(NewAssignment, input);
  const { orgId } = actor;
  const assigned = await database.transaction(async (db) => {
    await getLockedTrigger(db, orgId, made.triggerId);
    const workflow = await getWorkflow(db, orgId, made.workflowId);
    const problems = checkAssignment(await inputsOf(db, workflow), made.inputs, filter);
    if (problems.length > 0)
      throw validationError(
        problems.map(({ message }) => ({ in: 'body', field: '', code: 'invalid_format', message })),
      );
    const before = await findAssignment(db, orgId, made.triggerId, made.workflowId);
    if (before && isSame(before, made.inputs, filter)) return before;
    const after = await upsertAssignment(db, orgId, { ...made, filter });
    await writeAssignmentEvent(db, actor, { before, after });
    return after;
  });
  await publishTriggers(bus, [made.triggerId]);
  return assigned;
}

function isSame(before: Assignment, inputs: InputMapping, filter: string | undefined): boolean {
  return before.filter === (filter ?? null) && isDeepStrictEqual(before.inputs, inputs);
}

/** Ends an assignment; runs that it started continue. Throws `not_found`. */
export async function unassignWorkflow(
  { database, bus }: OperationContext,
  actor: Actor,
  { triggerId, workflowId }: { triggerId: string; workflowId: string },
): Promise<Trigger> {
  const { orgId } = actor;
  const trigger = await database.transaction(async (db) => {
    const { name } = await getWorkflow(db, orgId, workflowId);
    const locked = await lockTrigger(db, orgId, triggerId);
    const before = await findAssignment(db, orgId, triggerId, workflowId);
    if (!locked || !before)
      throw new AppError('not_found', `The trigger ${triggerId} does not start the workflow ${name}.`);
    await deleteAssignment(db, orgId, triggerId, workflowId);
    await writeAssignmentEvent(db, actor, { before, after: undefined });
    return (await findTrigger(db, orgId, triggerId))!;
  });
  await publishTriggers(bus, [triggerId]);
  return trigger;
}

/** Returns a workflow. Throws `not_found`. */
export async function getWorkflow(db: Db, orgId: string, id: string): Promise<Workflow> {
  return orNotFound(await findWorkflow(db, orgId, id), `There is no workflow ${id}.`);
}

/** Returns the inputs of the newest version. Throws `conflict` if this release cannot read it. */
async function inputsOf(db: Db, { org_id, id, name, version }: Workflow): Promise<Definition['inputs']> {
  return readStoredDefinition(name, await findDefinition(db, org_id, id, version)).inputs;
}
