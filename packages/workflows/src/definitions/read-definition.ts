import { isRecord } from '@relata/schemas';
import { checkDocument } from './checks/check-document.ts';
import { checkSteps, findSteps } from './checks/check-steps.ts';
import { toFaults } from './checks/issue-faults.ts';
import { DefinitionError, type DefinitionFault, faultAt } from './definition.error.ts';
import type { Definition } from './definition.ts';
import { stepsMax, Top } from './schemas/definition.schema.ts';
import { readExpressions, type StepExpressions } from './step-expressions.ts';

/** A definition as its author wrote it, and its compiled expressions. */
export interface ReadWorkflow {
  definition: Definition;
  expressions: readonly StepExpressions[];
}

/** Validates a workflow's definition and returns it as written. Throws DefinitionError with all its faults. */
export function readDefinition(json: unknown): Definition {
  return readWorkflow(json).definition;
}

/** Validates a workflow's definition and compiles its expressions. Throws DefinitionError with all its faults. */
export function readWorkflow(json: unknown): ReadWorkflow {
  const inDocument = checkDocument(json);
  if (!isRecord(json)) throw new DefinitionError([faultAt([], 'A definition must be an object.')]);
  const found = findSteps(json['steps']);
  const expressions = found.length > stepsMax ? { steps: [], faults: [] } : readExpressions(json, found);
  const faults = [...inDocument, ...toFaults(Top, json, []), ...checkSteps(found), ...expressions.faults];
  if (faults.length > 0) throw new DefinitionError(withoutRepeats(faults));
  const inputs = (json['inputs'] ?? {}) as Definition['inputs'];
  return { definition: { ...(json as unknown as Definition), inputs }, expressions: expressions.steps };
}

/** Removes repeats: several checks may find the same fault at one path. */
function withoutRepeats(faults: readonly DefinitionFault[]): DefinitionFault[] {
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values()];
}
