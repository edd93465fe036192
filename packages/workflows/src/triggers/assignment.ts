import { newId } from '@relata/db';
import { compileFilter } from './filter.ts';
import type { Definition } from '../definitions/definition.ts';
import { type InputFault, type InputSpec, readInput } from '../definitions/input-value.ts';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';
import type { InputProblem, NewRun, RefusedWorkflow, SkippedWorkflow } from '../deliveries/delivery-store.sql.ts';
import type { AssignedWorkflow } from './trigger-snapshot.sql.ts';
import { type FieldPath, parseFieldPath, valueAt } from './field-path.ts';
import type { InputMapping } from './assignment.sql.ts';

export interface Source {
  input: string;
  spec: InputSpec;
  /** Undefined for a constant and for an unmapped input. */
  path: FieldPath | undefined;
  constant: unknown;
}

export interface CompiledAssignment {
  workflowId: string;
  version: number;
  isLimited: boolean;
  sources: readonly Source[];
  filter: ((content: DeliveryContent) => boolean) | undefined;
}

export function compileAssignment(given: AssignedWorkflow, inputs: Definition['inputs']): CompiledAssignment {
  return {
    workflowId: given.workflow_id,
    version: given.version,
    isLimited: given.is_limited,
    sources: Object.entries(inputs).map(([input, spec]) => sourceOf(input, spec, given.inputs)),
    filter: given.filter === null ? undefined : compileFilter(given.filter),
  };
}

function sourceOf(input: string, spec: InputSpec, mapping: InputMapping): Source {
  const from = Object.hasOwn(mapping, input) ? mapping[input] : undefined;
  if (typeof from === 'string') return { input, spec, path: parseFieldPath(from), constant: undefined };
  return { input, spec, path: undefined, constant: from?.const };
}

/**
 * Result of applying assignments to a delivery: runs to start, workflows that their filter skipped, and workflows whose
 * inputs the delivery does not satisfy.
 */
export interface PreparedRuns {
  runs: NewRun[];
  skipped: SkippedWorkflow[];
  refused: RefusedWorkflow[];
}

/** Maximum number of problems that a refused workflow lists. */
const problemsMax = 10;

/**
 * Applies every assignment of a trigger to a delivery, and stores nothing. A filter that fails affects only its own
 * workflow.
 */
export function prepareRuns(assignments: readonly CompiledAssignment[], content: DeliveryContent): PreparedRuns {
  const prepared: PreparedRuns = { runs: [], skipped: [], refused: [] };
  for (const assignment of assignments) {
    const skipped = skippedBy(assignment, content);
    const problems: InputProblem[] = [];
    const run = skipped ? undefined : newRun(assignment, content, problems);
    if (skipped) prepared.skipped.push(skipped);
    else if (problems.length > 0)
      prepared.refused.push({
        workflow_id: assignment.workflowId,
        reason: 'refused',
        problems: problems.slice(0, problemsMax),
      });
    else prepared.runs.push(run!);
  }
  return prepared;
}

/** Returns why the filter keeps a delivery from starting the workflow; undefined if it does not. */
export function skippedBy(
  { filter, workflowId }: CompiledAssignment,
  content: DeliveryContent,
): SkippedWorkflow | undefined {
  try {
    return !filter || filter(content) ? undefined : { workflow_id: workflowId, reason: 'filtered' };
  } catch (error) {
    return { workflow_id: workflowId, reason: 'filter_failed', message: (error as Error).message };
  }
}

function newRun(
  { sources, workflowId, version, isLimited }: CompiledAssignment,
  content: DeliveryContent,
  problems: InputProblem[],
) {
  const inputs: Record<string, unknown> = {};
  for (const source of sources) {
    const read = mappedInput(source, content);
    if ('problem' in read) problems.push(read.problem);
    else if (read.value !== undefined) inputs[source.input] = read.value;
  }
  return { id: newId(), workflowId, version, isLimited, inputs };
}

/**
 * Returns the value of an input for a delivery, undefined if it has none, or the problem if the delivery does not
 * satisfy it.
 */
export function mappedInput(
  { input, spec, path, constant }: Source,
  content: DeliveryContent,
): { value: unknown } | { problem: InputProblem } {
  const read = readInput(spec, path ? valueAt(content, path) : constant);
  return 'problem' in read ? { problem: problemOf(input, path, read) } : read;
}

function problemOf(
  input: string,
  path: FieldPath | undefined,
  { problem, code }: { problem: string; code: InputFault },
): InputProblem {
  return {
    input,
    field: path?.text ?? input,
    code,
    message: `input "${input}"${path ? ` (from ${path.text})` : ''} ${problem}`,
  };
}
