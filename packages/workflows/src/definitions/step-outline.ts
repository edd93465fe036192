import { isRecord } from '@relata/schemas';

/** A step by its place in a definition: `each.contact` is the step `contact` of the loop `each`. */
export interface OutlinedStep {
  path: string;
  use: string;
}

/** The steps of a definition in their order, also of one that this release could not read as a whole. */
export function outlineOf(definition: unknown): OutlinedStep[] {
  return isRecord(definition) ? outlineOfSteps(definition['steps'], '') : [];
}

function outlineOfSteps(steps: unknown, prefix: string): OutlinedStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.filter(isRecord).flatMap(({ id, use, steps: inner }) => {
    const path = `${prefix}${String(id)}`;
    return [{ path, use: String(use) }, ...outlineOfSteps(inner, `${path}.`)];
  });
}

/** The place in the definition of what a run has done: of `each[2].contact` it is `each.contact`. */
export function placeOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '');
}
