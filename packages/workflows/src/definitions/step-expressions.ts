import {
  afterStep,
  type Condition,
  type InputType,
  insideLoop,
  isProblems,
  type Names,
  opening,
  type ExpressionProblem,
  readCondition,
  readTemplate,
  type Template,
  workflowNames,
} from '@relata/expressions';
import { isRecord } from '@relata/schemas';
import { findSteps, type FoundStep } from './checks/check-steps.ts';
import { type DefinitionFault, faultAt, faultsMax, type Path } from './definition.error.ts';
import type { Definition, StepDefinition } from './definition.ts';
import { inputsMax } from './schemas/definition.schema.ts';
import { inputTypes } from './schemas/input.schema.ts';
import { findStepKind } from './steps/step-kinds.ts';

/** Compiled expressions of a step. `when` or `with` is undefined if the step lacks it or if it has a fault. */
export interface OwnExpressions {
  when: Condition | undefined;
  with: Template | undefined;
}

/** Compiled expressions of a step and, if it is a loop, of its steps. */
export interface StepExpressions extends OwnExpressions {
  steps: readonly StepExpressions[];
}

/** Compiled expressions of a definition, one entry per step, and all their faults. */
interface ReadExpressions {
  steps: readonly StepExpressions[];
  faults: readonly DefinitionFault[];
}

const none: StepExpressions = { when: undefined, with: undefined, steps: [] };

/** Compiles the expressions of a definition, which may have other faults. */
export function readExpressions(
  json: { steps?: unknown; inputs?: unknown },
  found: readonly FoundStep[],
): ReadExpressions {
  const faults: DefinitionFault[] = [];
  return { steps: readSteps(json.steps, namesOf(json.inputs, found), ['steps'], faults), faults };
}

/** Compiles the expressions of one step of a valid definition. */
export function readOwnExpressions({ inputs, steps }: Definition, step: StepDefinition): OwnExpressions {
  return readOwn(step, namesAt(step, steps, namesOf(inputs, findSteps(steps)))!, [], []);
}

/** Returns the names that a step can use, if it is one of the given steps or inside one of them. */
function namesAt(wanted: StepDefinition, steps: readonly StepDefinition[], names: Names): Names | undefined {
  let before = names;
  for (const step of steps) {
    if (step === wanted) return before;
    const inside = step.steps && namesAt(wanted, step.steps, insideLoop(before));
    if (inside) return inside;
    before = afterStep(before, step.id, findStepKind(step.use)?.output);
  }
  return undefined;
}

/** Returns the names that expressions can use. An input with an invalid type may have any value. */
function namesOf(inputs: unknown, found: readonly FoundStep[]): Names {
  const entries = isRecord(inputs) ? Object.entries(inputs).slice(0, inputsMax) : [];
  const types = new Map(entries.map(([name, spec]) => [name, typeOf(spec)]));
  const ids = found.map(({ step }) => (isRecord(step) ? step['id'] : undefined));
  return workflowNames(types, new Set(ids.filter((id) => typeof id === 'string')));
}

function typeOf(spec: unknown): InputType | 'any' {
  const type = isRecord(spec) ? spec['type'] : undefined;
  return inputTypes.find((known) => known === type) ?? 'any';
}

function readSteps(steps: unknown, names: Names, path: Path, faults: DefinitionFault[]): StepExpressions[] {
  let before = names;
  return (Array.isArray(steps) ? steps : []).map((step: unknown, i) => {
    if (!isRecord(step) || faults.length >= faultsMax) return none;
    const read = readStep(step, before, [...path, i], faults);
    if (typeof step['id'] === 'string') before = afterStep(before, step['id'], findStepKind(step['use'])?.output);
    return read;
  });
}

function readStep(step: Record<string, unknown>, names: Names, path: Path, faults: DefinitionFault[]): StepExpressions {
  const isLoop = step['use'] === 'for_each';
  return {
    ...readOwn(step, names, path, faults),
    steps: isLoop ? readSteps(step['steps'], insideLoop(names), [...path, 'steps'], faults) : [],
  };
}

function readOwn(step: Record<string, unknown>, names: Names, path: Path, faults: DefinitionFault[]): OwnExpressions {
  return {
    when: readWhen(step['when'], names, [...path, 'when'], faults),
    with: readWith(step, names, path, faults),
  };
}

function readWhen(when: unknown, names: Names, path: Path, faults: DefinitionFault[]): Condition | undefined {
  if (typeof when !== 'string') return undefined;
  if (when.includes(opening)) {
    faults.push(faultAt(path, 'Is already an expression.', 'Omit ${{ and }}.'));
    return undefined;
  }
  const read = readCondition(when, names);
  if (!isProblems(read)) return read;
  faults.push(...read.map((problem) => faultOf(problem, path)));
  return undefined;
}

/** Compiles the expressions of `with`. Evaluation errors have paths in the step, and faults in the definition. */
function readWith(
  { use, with: value }: Record<string, unknown>,
  names: Names,
  path: Path,
  faults: DefinitionFault[],
): Template | undefined {
  if (!isRecord(value)) return undefined;
  const read = readTemplate(value, names, ['with'], findStepKind(use)?.rules);
  if (!isProblems(read)) return read;
  faults.push(...read.map((problem) => faultOf(problem, [...path, ...problem.path])));
  return undefined;
}

const faultOf = ({ message, hint }: ExpressionProblem, path: Path) => faultAt(path, message, hint);
