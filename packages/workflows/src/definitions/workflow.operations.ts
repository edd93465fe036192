import { type Actor, type OperationContext, toEventOrigin, writeAuditEvent } from '@relata/events';
import { validationError } from '@relata/schemas/errors';
import { type Assignment, listAssignmentsOfWorkflow } from '../triggers/assignment.sql.ts';
import { DefinitionError } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { readDefinition } from './read-definition.ts';
import { checkAssignment } from '../triggers/check-assignment.ts';
import { publishTriggers } from '../triggers/trigger.operations.ts';
import { type AppliedWorkflow, storeDefinition, type VersionOptions } from './workflow.sql.ts';

/** An assignment that remains, although it does not fit the new inputs of the workflow. */
export interface IncompatibleAssignment extends Pick<Assignment, 'trigger_id' | 'trigger'> {
  problems: string[];
}

export type ApplyOptions = Pick<VersionOptions, 'base' | 'note'>;

/**
 * Makes a definition the newest version of the workflow with its name, unless it changes nothing. Throws
 * `validation_error` with every fault, caused by the DefinitionError, and `conflict` with `newest_version` if the given
 * base is not the newest version.
 */
export async function applyWorkflow(
  { database, bus }: OperationContext,
  actor: Actor,
  input: unknown,
  options: ApplyOptions = {},
): Promise<{ applied: AppliedWorkflow; definition: Definition; incompatible: IncompatibleAssignment[] }> {
  const definition = read(input);
  const { actor: author } = toEventOrigin(actor);
  const { applied, assignments } = await database.transaction(async (db) => {
    const { applied, before } = await storeDefinition(db, actor.orgId, definition, { ...options, author });
    const hidden = before ? ['definition'] : [];
    if (applied.action !== 'unchanged')
      await writeAuditEvent(db, actor, 'workflow.applied', { before, row: applied, hidden });
    return { applied, assignments: await listAssignmentsOfWorkflow(db, actor.orgId, applied.id) };
  });
  const triggers = assignments.map(({ trigger_id: id }) => id);
  if (applied.action === 'updated') await publishTriggers(bus, triggers);
  return {
    applied,
    definition,
    incompatible: assignments.flatMap((assignment) => incompatibleOf(assignment, definition)),
  };
}

function incompatibleOf({ trigger_id, trigger, inputs }: Assignment, definition: Definition): IncompatibleAssignment[] {
  const problems = checkAssignment(definition.inputs, inputs, undefined).map(({ message }) => message);
  return problems.length === 0 ? [] : [{ trigger_id, trigger, problems }];
}

function read(input: unknown): Definition {
  try {
    return readDefinition(input);
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const details = error.faults.map(
      ({ path, message }) => ({ in: 'body', field: path, code: 'invalid_format', message }) as const,
    );
    throw Object.assign(validationError(details), { cause: error });
  }
}
