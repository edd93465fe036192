import { setImmediate } from 'node:timers/promises';
import { newId } from '@relata/db';
import { storableJsonInSlices } from '@relata/expressions';
import { runInSlices } from '@relata/schemas/time-slices';
import { compileFilter } from './filter.ts';
import type { Definition } from '../definitions/definition.ts';
import { type InputFault, type InputSpec, readInput } from '../definitions/input-value.ts';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';
import type { InputProblem, NewRun, RefusedWorkflow, SkippedWorkflow } from '../deliveries/delivery-store.sql.ts';
import type { AssignedVersion } from './trigger-snapshot.sql.ts';
import { type FieldPath, parseFieldPath, valueAt } from './field-path.ts';
import type { InputMapping } from './assignment.sql.ts';

export interface Source {
  input: string;
  spec: InputSpec;
  /** Path of the field; undefined for a constant and for an unmapped input. */
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

export function compileAssignment(given: AssignedVersion, inputs: Definition['inputs']): CompiledAssignment {
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
 * Number of JSON characters by which the inputs of a run may exceed the size of the body. A process that can handle the
 * body can then handle the inputs, even if many inputs contain the same part of it.
 */
const beyondBodyMax = 1_000_000;
/** Maximum number of characters of JSON in the inputs of all runs of a delivery. */
const charactersMax = 32_000_000;

/** Function that is called between parts of a few milliseconds, so that other work gets its turn. */
type Pause = () => undefined | Promise<unknown>;

/**
 * Applies every assignment of a trigger to a delivery with a body of `bytes` bytes, and stores nothing. A filter that
 * fails, or inputs that are too large, affect only their own workflow.
 */
export async function prepareRuns(
  assignments: readonly CompiledAssignment[],
  content: DeliveryContent,
  bytes: number,
  pause: Pause = () => setImmediate(),
): Promise<PreparedRuns> {
  const prepared: PreparedRuns = { runs: [], skipped: [], refused: [] };
  let left = charactersMax;
  for (const assignment of assignments) {
    await pause();
    const skipped = skippedBy(assignment, content);
    if (skipped) {
      prepared.skipped.push(skipped);
      continue;
    }
    const run = await newRun(assignment, content, { charactersMax: Math.min(left, bytes + beyondBodyMax), pause });
    if ('problems' in run)
      prepared.refused.push({
        workflow_id: assignment.workflowId,
        reason: 'refused',
        problems: run.problems.slice(0, problemsMax),
      });
    else {
      prepared.runs.push(run);
      left -= run.inputs.length;
    }
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

async function newRun(
  { sources, workflowId, version, isLimited }: CompiledAssignment,
  content: DeliveryContent,
  { charactersMax: most, pause }: { charactersMax: number; pause: Pause },
): Promise<NewRun | { problems: InputProblem[] }> {
  const problems: InputProblem[] = [];
  const members: string[] = [];
  let characters = 0;
  for (const source of sources) {
    await pause();
    const read = mappedInput(source, content);
    if ('problem' in read) problems.push(read.problem);
    else if (read.value !== undefined) {
      const json = await runInSlices(storableJsonInSlices(read.value), pause);
      members.push(`${JSON.stringify(source.input)}:${json}`);
      characters += json.length;
      if (characters > most) return { problems: [...problems, tooLarge(source)] };
    }
  }
  if (problems.length > 0) return { problems };
  return { id: newId(), workflowId, version, isLimited, inputs: `{${members.join()}}` };
}

function tooLarge({ input, path }: Source): InputProblem {
  const problem =
    'makes the inputs too large: the inputs of a run may have 1,000,000 characters more than the body, and the ' +
    'inputs of all runs of a delivery may have 32,000,000 together';
  return problemOf(input, path, { problem, code: 'out_of_range' });
}

/** Returns the value of an input for a delivery, undefined if it has none; or the problem if it does not fit. */
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
