import { type InputType, type Names, workflowNames } from '@relata/expressions';
import { checkDocument } from './checks/check-document.ts';
import { checkExpressions } from './checks/check-expressions.ts';
import { checkSteps, findSteps, type FoundStep } from './checks/check-steps.ts';
import { DefinitionError, type Fault, faultAt } from './definition.error.ts';
import { inputsMax, stepsMax, Top } from './schemas/definition.schema.ts';
import type { Definition } from './definition.ts';
import { inputTypes } from './schemas/input.schema.ts';
import { faultsOf } from './checks/issue-faults.ts';
import { isRecord } from '@relata/schemas';

/**
 * Reads a workflow's definition, which it returns as it was written. Throws DefinitionError with all that is wrong
 * with it.
 */
export function readDefinition(json: unknown): Definition {
  const inDocument = checkDocument(json);
  if (!isRecord(json)) throw new DefinitionError([faultAt([], 'A definition is an object.')]);
  const found = findSteps(json['steps']);
  const faults = [...inDocument, ...faultsOf(Top, json, []), ...checkSteps(found), ...expressionFaults(json, found)];
  if (faults.length > 0) throw new DefinitionError(withoutRepeats(faults));
  return { ...(json as unknown as Definition), inputs: (json['inputs'] ?? {}) as Definition['inputs'] };
}

/** Several checks may have the same against one place. */
function withoutRepeats(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}

function expressionFaults(json: Record<string, unknown>, found: readonly FoundStep[]) {
  return found.length > stepsMax ? [] : checkExpressions(json['steps'], namesOf(json['inputs'], found));
}

/** What expressions may name. An input whose type is wrong may be anything. */
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
