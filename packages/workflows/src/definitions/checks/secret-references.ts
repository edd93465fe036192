import { findSteps } from './check-steps.ts';
import { type CompiledStep, compileDefinition } from '../compile-workflow.ts';
import { pathText } from '../definition.error.ts';
import type { Definition } from '../definition.ts';

export interface SecretReference {
  name: string;
  /** Path of the step's `with`, like `steps[1].with`. */
  path: string;
}

/** Returns the secrets that a valid definition reads, each once per step. */
export function listSecretReferences(definition: Definition): SecretReference[] {
  const compiled = inOrder(compileDefinition(definition).steps);
  return findSteps(definition.steps).flatMap(({ path }, i) =>
    compiled[i]!.secrets.map((name) => ({ name, path: pathText([...path, 'with']) })),
  );
}

/** Flattens steps: the steps of a loop follow it, as in `findSteps`. */
function inOrder(steps: readonly CompiledStep[]): CompiledStep[] {
  return steps.flatMap((step) => [step, ...inOrder(step.steps)]);
}
