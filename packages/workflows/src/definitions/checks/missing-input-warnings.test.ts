import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { inboundLead } from '../definition.harness.ts';
import { readDefinition } from '../read-definition.ts';
import { definitionWarnings } from './definition-warnings.ts';

const inputs = {
  email: { type: 'string', required: true },
  company: { type: 'string' },
  plan: { type: 'string', default: 'free' },
};

function warningsOf(...steps: object[]) {
  const named = steps.map((step, at) => ({ id: `s${at}`, use: 'activity.create', ...step }));
  return definitionWarnings(readDefinition({ name: 'test', inputs, steps: named }));
}

test('reading an optional input without has() gives a warning with its path and a fix (found C6)', () => {
  expect(warningsOf({ with: { content: 'From ${{ inputs.company }}', tags: ['a', '${{ inputs.company }}'] } })).toEqual(
    [
      {
        path: 'steps[0].with.content',
        message: 'The input company is optional. The step fails if it has no value.',
        hint:
          'Write ${{ has(inputs.company) ? inputs.company : … }}, add "when": "has(inputs.company)" to the step, ' +
          'or give the input a default.',
      },
      expect.objectContaining({ path: 'steps[0].with.tags[1]' }),
    ],
  );
});

test('a condition that reads an optional input gives a warning (found C6)', () => {
  expect(warningsOf({ when: 'inputs.company != "Acme"', with: { content: 'x' } })).toMatchObject([
    { path: 'steps[0].when', hint: 'Write has(inputs.company) && …, or give the input a default.' },
  ]);
});

test('a step within a loop that reads an optional input gives a warning, unless the loop tests the input (found C6)', () => {
  const inner = { id: 'log', use: 'activity.create', with: { content: '${{ inputs.company }}' } };
  const loop = { use: 'for_each', with: { items: [1, 2] }, steps: [inner] };
  expect(warningsOf(loop)).toMatchObject([{ path: 'steps[0].steps[0].with.content' }]);
  expect(warningsOf({ ...loop, when: 'has(inputs.company)' })).toEqual([]);
});

test.each([
  { with: { content: '${{ inputs.email }} ${{ inputs.plan }}' } },
  { with: { content: "${{ has(inputs.company) ? inputs.company : 'none' }}" } },
  { when: 'has(inputs.company)', with: { content: '${{ inputs.company }}' } },
  { when: 'has(inputs.company) && inputs.company != "Acme"', with: { content: '${{ inputs.company }}' } },
])('required, defaulted and tested inputs give no warning: %j (found C6)', (step) => {
  expect(warningsOf(step)).toEqual([]);
});

test('the workflows of the examples and of the documentation have no warning (found C6)', async () => {
  const files = await Array.fromAsync(glob('examples/{,senders/}*.json', { exclude: ['**/package.json'] }));
  expect(files.length).toBeGreaterThan(10);
  const definitions = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as unknown));
  const warned = [...definitions, inboundLead].flatMap((definition) => definitionWarnings(readDefinition(definition)));
  expect(warned).toEqual([]);
});
