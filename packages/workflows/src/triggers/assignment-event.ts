import { isDeepStrictEqual } from 'node:util';
import type { Db } from '@relata/db';
import { type Actor, writeAuditEvent } from '@relata/events';
import type { Assignment, InputMapping } from './assignment.sql.ts';

/** The change of an assignment; `before`, `after` or both are defined. */
type AssignmentChange =
  | { before: Assignment | undefined; after: Assignment }
  | { before: Assignment; after: undefined };

/** Writes the event of an assignment that was created, replaced or ended, as an event of its trigger. */
export async function writeAssignmentEvent(db: Db, actor: Actor, { before, after }: AssignmentChange): Promise<void> {
  if (!after) return writeAuditEvent(db, actor, 'trigger.unassigned', { row: shownAssignment(before) });
  const change = { before: before && shownAssignment(before), row: shownAssignment(after) };
  await writeAuditEvent(db, actor, 'trigger.assigned', {
    ...change,
    hidden: before ? hiddenChanges(before, after) : [],
  });
}

/** Returns an assignment without its constants, into which somebody may have written a credential. */
function shownAssignment({ trigger_id: id, trigger: name, workflow_id, workflow, inputs }: Assignment) {
  return { id, name, workflow_id, workflow, inputs: pathsOf(inputs) };
}

function pathsOf(inputs: InputMapping): Record<string, string> {
  const paths = Object.entries(inputs).flatMap(([input, from]) => (typeof from === 'string' ? [[input, from]] : []));
  return Object.fromEntries(paths);
}

function hiddenChanges(before: Assignment, after: Assignment): string[] {
  const constants = isDeepStrictEqual(constantsOf(before), constantsOf(after)) ? [] : ['constants'];
  return before.filter === after.filter ? constants : [...constants, 'filter'];
}

function constantsOf({ inputs }: Assignment): InputMapping {
  return Object.fromEntries(Object.entries(inputs).filter(([, from]) => typeof from !== 'string'));
}
