import { parseDurationMs } from '@relata/runtime';
import { type DefinitionFault, faultAt, type Path } from '../definition.error.ts';
import { StepFrame, stepsMax } from '../schemas/definition.schema.ts';
import { toFaults } from './issue-faults.ts';
import { isRecord } from '@relata/schemas';
import { findStepKind } from '../steps/step-kinds.ts';

export interface FoundStep {
  readonly step: unknown;
  readonly path: Path;
  readonly isInLoop: boolean;
}

/** Returns all steps of a definition; the steps of a loop follow the loop. */
export function findSteps(steps: unknown, path: Path = ['steps'], isInLoop = false): FoundStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown, i) => {
    const found = { step, path: [...path, i], isInLoop };
    // A loop within a loop is already a fault, so its steps are not checked.
    const inner = isRecord(step) && !isInLoop ? findSteps(step['steps'], [...found.path, 'steps'], true) : [];
    return [found, ...inner];
  });
}

/** Returns the faults of steps, except those of their expressions. */
export function checkSteps(found: readonly FoundStep[]): DefinitionFault[] {
  const tooMany = found.length > stepsMax ? [faultAt(['steps'], `Must have at most ${stepsMax} steps in all.`)] : [];
  return [...tooMany, ...found.slice(0, stepsMax).flatMap(checkStep), ...checkIds(found)];
}

function checkStep({ step, path, isInLoop }: FoundStep): DefinitionFault[] {
  const frame = toFaults(StepFrame, step, path);
  if (!isRecord(step)) return frame;
  return [
    ...frame,
    ...checkWith(step, path),
    ...checkNesting(step, path, isInLoop),
    ...checkRetry(step['retry'], path),
  ];
}

function checkWith(step: Record<string, unknown>, path: Path): DefinitionFault[] {
  const kind = findStepKind(step['use']);
  if (kind === undefined) return [];
  if (step['with'] === undefined) return [faultAt([...path, 'with'], 'Is required.')];
  return toFaults(kind.with, step['with'], [...path, 'with']);
}

function checkNesting({ use, steps }: Record<string, unknown>, path: Path, isInLoop: boolean): DefinitionFault[] {
  if (use === 'for_each') {
    if (isInLoop) return [faultAt([...path, 'use'], 'A loop cannot contain another loop.')];
    return steps === undefined ? [faultAt([...path, 'steps'], 'Is required.')] : [];
  }
  return steps === undefined ? [] : [faultAt([...path, 'steps'], 'Only for_each can have steps.')];
}

function checkRetry(retry: unknown, path: Path): DefinitionFault[] {
  if (!isRecord(retry)) return [];
  const [initialMs, mostMs] = [retry['initial_delay'], retry['max_delay']].map((text) => parseDurationMs(String(text)));
  if (initialMs === undefined || mostMs === undefined || initialMs <= mostMs) return [];
  return [faultAt([...path, 'retry', 'max_delay'], 'Must not be shorter than initial_delay.')];
}

function checkIds(found: readonly FoundStep[]): DefinitionFault[] {
  const seen = new Set<unknown>();
  return found.flatMap(({ step, path }) => {
    const id = isRecord(step) ? step['id'] : undefined;
    if (typeof id !== 'string' || !seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [faultAt([...path, 'id'], 'Another step has this id.')];
  });
}
