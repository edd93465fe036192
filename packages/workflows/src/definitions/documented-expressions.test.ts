import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { EvaluationContext } from '@relata/expressions';
import { compileWorkflow } from './compile-workflow.ts';
import { faultLines, exampleWorkflow } from './definition.harness.ts';
import { readDefinition } from './read-definition.ts';

const page = await readFile(new URL('../../../../docs/workflows.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## Expressions'));
const [, payload, inputs] = /With the delivery `([^`]*)` and the inputs\s*`([^`]*)`/.exec(section)!;
const examples = [...section.matchAll(/^\| `(.*?)` +\| `(.*?)` +\|$/gm)].map(
  ([, source, value]) => [source!, JSON.parse(value!) as unknown] as const,
);

const declared = { inputs: { email: { type: 'string' }, tags: { type: 'array' } } };
const withText = (text: string) =>
  exampleWorkflow([{ use: 'http.request', with: { method: 'POST', url: 'https://a.example', json: text } }], declared);

const scope: EvaluationContext = {
  inputs: JSON.parse(inputs!) as object,
  payload: JSON.parse(payload!) as unknown,
  steps: {},
  delivery: {},
  trigger: {},
  workflow: {},
  run: {},
};

test('the documentation contains expressions to test', () => {
  expect(examples.length).toBeGreaterThan(15);
});

test.for(examples)('docs/workflows.md: %s', ([source, value]) => {
  const [step] = compileWorkflow(readDefinition(withText(`\${{ ${source} }}`))).steps;
  expect(step!.with(scope)['json']).toEqual(value);
});

const named = /- \*\*(Functions|Methods[^*]*)\*\*[^:]*: ([\s\S]*?)(?=\n- |\n\n)/g;
const calls = [...section.matchAll(named)].flatMap(([, kind, names]) =>
  [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => [kind!, name!] as const),
);

test.for(calls)('docs/workflows.md: %s include %s', ([kind, name]) => {
  const call = kind === 'Functions' ? `${name}()` : `payload.x.${name}()`;
  // A call without arguments is refused, but only because the arguments are missing.
  expect(faultLines(withText(`\${{ ${call} }}`)).join(' ')).not.toContain('There is no');
});

test.for([
  ["payload.plan = 'team'", 'Did you mean ==?'],
  ["split(inputs.email, '@')", 'The function split() does not exist. Write it after the value: ….split(…).'],
  ['trim(inputs.email)', 'The function trim() does not exist. Write it after the value: ….trim().'],
  ['payload.seats.string()', 'The method string() does not exist. Write string(…).'],
] as const)('a likely mistake is answered with a suggestion: %s', ([source, hint]) => {
  expect(faultLines(withText(`\${{ ${source} }}`)).join(' ')).toContain(hint);
});
