import type { EvaluationContext } from '@relata/expressions';
import { describe, expect, test } from 'vitest';
import { compileWorkflow } from './compile-workflow.ts';
import { faultLines, exampleWorkflow } from './definition.harness.ts';
import { readDefinition } from './read-definition.ts';

const context: EvaluationContext = {
  inputs: {},
  steps: {},
  payload: { a: 1 },
  delivery: {},
  trigger: {},
  workflow: {},
  run: {},
};
const request = (more: object) => ({
  use: 'http.request',
  with: { method: 'POST', url: 'https://a.example/', ...more },
});
const lines = (...steps: object[]) => faultLines(exampleWorkflow(steps));

describe('secrets may be read', () => {
  test.for([
    { headers: { Authorization: 'Bearer ${{ secrets.TOKEN }}' } },
    { headers: '${{ {"X-A": secrets.TOKEN} }}' },
    { json: { deep: [{ key: "${{ has(payload.a) ? secrets['_b9'] : 'none' }}" }] } },
    { json: '${{ secrets.TOKEN }}' },
    { body: 'key=${{ urlEncode(secrets.TOKEN) }}' },
  ])('secrets may be read in %j', (more) => {
    expect(lines(request(more))).toEqual([]);
    const steps = [{ id: 'inner', ...request(more) }];
    expect(lines({ use: 'for_each', with: { items: [] }, steps })).toEqual([]);
  });
});

describe('secrets may not be read', () => {
  const only = 'Secrets can be used only in headers, json and body of http.request.';

  test.for<[object, string]>([
    [request({ url: 'https://a.example/${{ secrets.TOKEN }}' }), `steps[0].with.url: ${only}`],
    [request({ url: '${{ secrets.TOKEN }}' }), `steps[0].with.url: ${only}`],
    [request({ method: '${{ secrets.TOKEN }}' }), `steps[0].with.method: ${only}`],
    [{ ...request({}), when: "secrets.TOKEN == 'x'" }, `steps[0].when: ${only}`],
    [{ use: 'channel.post', with: { text: '${{ secrets.TOKEN }}' } }, `steps[0].with.text: ${only}`],
    [{ use: 'activity.create', with: { content: '${{ secrets.TOKEN }}' } }, `steps[0].with.content: ${only}`],
    [
      { use: 'contact.create', with: { set: { first_name: 'a', last_name: '${{ secrets.A }}' } } },
      `steps[0].with.set.last_name: ${only}`,
    ],
    [{ use: 'delay', with: { for: '${{ secrets.A }}' } }, `steps[0].with.for: ${only}`],
    [
      {
        use: 'for_each',
        with: { items: '${{ [secrets.A] }}' },
        steps: [{ id: 'a', use: 'delay', with: { for: '1s' } }],
      },
      `steps[0].with.items: ${only}`,
    ],
  ])('secrets may not be read in %j', ([step, expected]) => {
    expect(lines(step)).toEqual([expected]);
  });

  test.for([
    ['secrets', 'Add the name of a secret after secrets. Write secrets.<NAME>.'],
    ['secrets[payload.name]', 'Add the name of a secret after secrets. Write secrets.<NAME>.'],
    ['size(secrets)', 'Add the name of a secret after secrets. Write secrets.<NAME>.'],
    ['secrets["a-b"]', 'The name of a secret may contain only letters, digits and _'],
    ['secrets.TOKEN + 1', 'No such overload'],
  ])('secrets may not be read as %s', ([expression, expected]) => {
    const [line] = lines(request({ headers: { 'X-A': `\${{ ${expression} }}` } }));
    expect(line).toContain(`steps[0].with.headers.X-A: ${expected}`);
  });
});

test('a compiled step lists its secrets, and strings that read secrets stay unchanged if the values are missing', () => {
  const headers = { A: 'x ${{ secrets.ONE }} ${{ payload.a }}', B: '${{ payload.a }}' };
  const json = ['${{ secrets.TWO.size() > 1 }}', '${{ [1].map(secrets, secrets) }}'];
  const [step] = compileWorkflow(readDefinition(exampleWorkflow([request({ headers, json })]))).steps;
  expect(step!.secrets).toEqual(['ONE', 'TWO']);
  expect(step!.with(context)).toMatchObject({ headers: { A: headers.A, B: 1 }, json: [json[0], [1]] });
  expect(step!.with({ ...context, secrets: { ONE: '1', TWO: 'two' } })).toMatchObject({
    headers: { A: 'x 1 1', B: 1 },
    json: [true, [1]],
  });
});

test('an expression error does not quote a secret', () => {
  const json = "${{ {'a': 1}[secrets.ONE] }}";
  const [step] = compileWorkflow(readDefinition(exampleWorkflow([request({ json })]))).steps;
  const failing = () => step!.with({ ...context, secrets: { ONE: 'hidden' } });
  expect(failing).toThrow('No such key in');
  expect(failing).not.toThrow('hidden');
});
