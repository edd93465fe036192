import { afterStep, insideLoop, type Names, workflowNames } from './checks/names.ts';
import { orThrow } from './expression.error.ts';
import { readTemplate } from './templates/template.ts';

const inputs = new Map([
  ['email', 'string'],
  ['amount', 'number'],
  ['flag', 'boolean'],
  ['profile', 'object'],
  ['tags', 'array'],
] as const);

const started = workflowNames(inputs, new Set(['contact', 'each', 'unknown', 'later']));
const outputs = [
  ['contact', new Set(['id', 'email', 'tags'])],
  ['each', 'list'],
  ['unknown', undefined],
] as const;

export const names: Names = outputs.reduce((before, [id, output]) => afterStep(before, id, output), started);
export const loopNames = insideLoop(names);

/** Evaluates an expression with a payload and further values of the context. */
export function evaluate(source: string, payload: unknown = {}, context: object = {}): unknown {
  return orThrow(readTemplate(`\${{ ${source} }}`, loopNames)).evaluate({
    inputs: {},
    steps: { contact: null },
    delivery: {},
    trigger: {},
    workflow: {},
    run: {},
    payload,
    ...context,
  });
}
