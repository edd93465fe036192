import { isRecord } from '@relata/schemas';
import type { StepExecutor } from './steps/step-kind.ts';
import { findStepKind } from './steps/step-kinds.ts';

/** A step and its path in a definition: `each.contact` is the step `contact` of the loop `each`. */
export interface PlacedStep {
  path: string;
  use: string;
}

interface OutlinedStep extends PlacedStep {
  maxAttempts: number;
}

/** Returns the steps of a definition in order, even if this release cannot read the definition as a whole. */
export function outlineSteps(definition: unknown): OutlinedStep[] {
  return isRecord(definition) ? outlineOfSteps(definition['steps'], '') : [];
}

function outlineOfSteps(steps: unknown, prefix: string): OutlinedStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isRecord).flatMap(({ id, use, retry, steps: inner }) => {
    const path = `${prefix}${String(id)}`;
    const given = isRecord(retry) && typeof retry['max_attempts'] === 'number' ? retry['max_attempts'] : undefined;
    const maxAttempts = allowedAttempts(findStepKind(use)?.executor, given);
    return [{ path, use: String(use), maxAttempts }, ...outlineOfSteps(inner, `${path}.`)];
  });
}

const networkAttempts = 5;

/**
 * Returns the maximum number of attempts. A step that calls another system has the given number, or 5 by default; any
 * other step has 1.
 */
export function allowedAttempts(executor: StepExecutor | undefined, given: number | undefined): number {
  return executor === 'network' ? (given ?? networkAttempts) : 1;
}

/** Returns the path in the definition of a step of a run: `each.contact` for `each[2].contact`. */
export function stepPlace(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '');
}
