import { afterStep, insideLoop, type Names, workflowNames } from './names.ts';
import { compileTemplate } from './template.ts';

const inputs = new Map([
  ['email', 'string'],
  ['amount', 'number'],
  ['flag', 'boolean'],
  ['profile', 'object'],
  ['tags', 'array'],
] as const);

export const names: Names = afterStep(workflowNames(inputs, new Set(['contact', 'later'])), 'contact');
export const loopNames = insideLoop(names);

/** What an expression makes of a payload and whatever else is in scope. */
export function evaluate(source: string, payload: unknown = {}, scope: object = {}): unknown {
  return compileTemplate(`\${{ ${source} }}`, loopNames).evaluate({
    inputs: {},
    steps: { contact: null },
    delivery: {},
    trigger: {},
    workflow: {},
    run: {},
    payload,
    ...scope,
  });
}
