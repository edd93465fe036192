import {
  afterStep,
  insideLoop,
  isProblemList,
  type Names,
  opening,
  type Problem,
  readCondition,
  readTemplate,
} from '@relata/expressions';
import { type Fault, faultAt, faultsMax } from '../definition.error.ts';
import { isRecord } from '@relata/schemas';
import { findStepKind } from '../steps/step-kinds.ts';

type Path = readonly (string | number)[];

/** What is wrong with the expressions of steps, which may be wrong otherwise too. */
export function checkExpressions(steps: unknown, names: Names, path: Path = ['steps']): Fault[] {
  const faults: Fault[] = [];
  let before = names;
  for (const [i, step] of listOf(steps).entries()) {
    if (!isRecord(step) || faults.length >= faultsMax) continue;
    faults.push(...checkStep(step, before, [...path, i]));
    if (typeof step['id'] === 'string') before = afterStep(before, step['id'], findStepKind(step['use'])?.output);
  }
  return faults;
}

function checkStep(step: Record<string, unknown>, names: Names, path: Path): Fault[] {
  const faults = [...checkWhen(step['when'], names, [...path, 'when']), ...checkWith(step, names, [...path, 'with'])];
  if (step['use'] !== 'for_each') return faults;
  return [...faults, ...checkExpressions(step['steps'], insideLoop(names), [...path, 'steps'])];
}

function checkWhen(when: unknown, names: Names, path: Path): Fault[] {
  if (typeof when !== 'string') return [];
  if (when.includes(opening)) return [faultAt(path, 'Is an expression by itself.', 'Leave out ${{ and }}.')];
  const read = readCondition(when, names);
  return isProblemList(read) ? read.map((problem) => faultOf(problem, path)) : [];
}

function checkWith({ use, with: value }: Record<string, unknown>, names: Names, path: Path): Fault[] {
  if (!isRecord(value)) return [];
  const read = readTemplate(value, names, path, findStepKind(use)?.rules);
  return 'evaluate' in read ? [] : read.map((problem) => faultOf(problem, problem.path));
}

function faultOf({ message, hint }: Problem, path: Path): Fault {
  return faultAt(path, message, hint);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
