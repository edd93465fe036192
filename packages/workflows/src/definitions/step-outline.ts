import { isRecord } from '@relata/schemas';
import { maxAttemptsOf } from './max-attempts.ts';
import { findStepKind } from './steps/step-kinds.ts';

/** A step by its place in a definition: `each.contact` is the step `contact` of the loop `each`. */
export interface PlacedStep {
  path: string;
  use: string;
}

interface OutlinedStep extends PlacedStep {
  maxAttempts: number;
}

/** The steps of a definition in their order, also of one that this release could not read as a whole. */
export function outlineOf(definition: unknown): OutlinedStep[] {
  return isRecord(definition) ? outlineOfSteps(definition['steps'], '') : [];
}

function outlineOfSteps(steps: unknown, prefix: string): OutlinedStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isRecord).flatMap(({ id, use, retry, steps: inner }) => {
    const path = `${prefix}${String(id)}`;
    const given = isRecord(retry) && typeof retry['max_attempts'] === 'number' ? retry['max_attempts'] : undefined;
    const maxAttempts = maxAttemptsOf(findStepKind(use)?.executor, given);
    return [{ path, use: String(use), maxAttempts }, ...outlineOfSteps(inner, `${path}.`)];
  });
}

/** The place in the definition of what a run has done: of `each[2].contact` it is `each.contact`. */
export function placeOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '');
}
