import { isRecord } from '@relata/schemas';
import { checkDocument } from './checks/check-document.ts';
import { checkSteps, findSteps } from './checks/check-steps.ts';
import { faultsOf } from './checks/issue-faults.ts';
import { DefinitionError, type Fault, faultAt } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { stepsMax, Top } from './schemas/definition.schema.ts';
import { readExpressions, type StepExpressions } from './step-expressions.ts';

/** A definition as it was written, and its compiled expressions. */
export interface ReadWorkflow {
  definition: Definition;
  expressions: readonly StepExpressions[];
}

/** Reads a workflow's definition, which it returns as it was written. Throws DefinitionError with all its faults. */
export function readDefinition(json: unknown): Definition {
  return readWorkflow(json).definition;
}

/** Reads a workflow's definition and compiles its expressions. Throws DefinitionError with all its faults. */
export function readWorkflow(json: unknown): ReadWorkflow {
  const inDocument = checkDocument(json);
  if (!isRecord(json)) throw new DefinitionError([faultAt([], 'A definition is an object.')]);
  const found = findSteps(json['steps']);
  const expressions = found.length > stepsMax ? { steps: [], faults: [] } : readExpressions(json, found);
  const faults = [...inDocument, ...faultsOf(Top, json, []), ...checkSteps(found), ...expressions.faults];
  if (faults.length > 0) throw new DefinitionError(withoutRepeats(faults));
  const inputs = (json['inputs'] ?? {}) as Definition['inputs'];
  return { definition: { ...(json as unknown as Definition), inputs }, expressions: expressions.steps };
}

/** Several checks may find the same fault at one place. */
function withoutRepeats(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}
