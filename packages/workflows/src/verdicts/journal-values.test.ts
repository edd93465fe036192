import { expect, test } from 'vitest';
import { compileDefinition } from '../definitions/compile-workflow.ts';
import { exampleWorkflow } from '../definitions/definition.harness.ts';
import { readDefinition } from '../definitions/read-definition.ts';
import { type DoneStep, simulateSteps } from './simulate-steps.ts';
import { simulatedContext } from './simulated-context.ts';
import { neededPaths } from './journal-values.ts';

const call = (id: string) => ({ id, use: 'http.request', with: { method: 'GET', url: 'https://partner.example/' } });
const make = (id: string, name: string) => {
  return { id, use: 'contact.create', with: { set: { first_name: `\${{ ${name} }}`, last_name: 'L' } } };
};
const named = (...steps: string[]) => steps.map((id) => `steps.${id}.json.name`).join(' + ');

const definition = readDefinition(
  exampleWorkflow([
    call('first'),
    {
      id: 'each',
      use: 'for_each',
      with: { items: '${{ steps.first.json.list }}' },
      steps: [call('ask'), make('use', named('first', 'ask')), call('look'), make('sum', named('ask', 'look'))],
    },
    make('last', named('first')),
  ]),
);
const { steps } = compileDefinition(definition);

/** Paths of a run over three items, in the order in which the steps end. */
const paths = [
  'first',
  ...[0, 1, 2].flatMap((index) => ['ask', 'use', 'look', 'sum'].map((id) => `each[${index}].${id}`)),
  'each',
  'last',
];

type Row = DoneStep & { status: 'succeeded' | 'failed'; is_done: boolean };

/** Returns the journal of a run whose step at `failed` failed, and whose step at `long` had a name that is too long. */
function journalOf(failed: number, long: string): Map<string, Row> {
  const items = [1, 2, 3];
  const around = paths[failed]!.startsWith('each[') ? ['each'] : [];
  const ended = paths.slice(0, failed).map((path): [string, Row] => {
    const output = { json: { name: path === long ? 'n'.repeat(300) : 'n', list: items } };
    return [path, { status: 'succeeded', is_done: true, isDone: true, output }];
  });
  const open = [...around, paths[failed]!].map((path): [string, Row] => {
    return [path, { status: 'failed', is_done: false, isDone: false, output: null, items }];
  });
  return new Map([...ended, ...open]);
}

const context = simulatedContext({
  inputs: {},
  payload: {},
  delivery: { id: 'd', received_at: '2026-01-01T00:00:00Z', headers: {}, replay: 0 },
  trigger: { id: 't', name: 'Form' },
  workflow: { id: 'w', name: 'x', version: 1 },
});
const simulate = (done: ReadonlyMap<string, DoneStep>) =>
  simulateSteps(steps, context, { pause: () => undefined, done });

test('wherever a run failed, the verdict does not depend on values that are not needed', async () => {
  let failures = 0;
  for (const failed of paths.keys())
    for (const long of paths) {
      const journal = journalOf(failed, long);
      const needed = new Set(neededPaths(definition.steps, journal));
      const reduced = new Map(
        [...journal].map(([path, row]) => [path, needed.has(path) ? row : { ...row, output: null, items: undefined }]),
      );
      const verdict = await simulate(journal);
      expect(await simulate(reduced), `${paths[failed]} failed, ${long} is long`).toEqual(verdict);
      if (verdict) failures++;
    }
  expect(failures).toBeGreaterThan(paths.length);
});

test('no inner value of a completed iteration or loop is needed', () => {
  const needed = (failed: string) => neededPaths(definition.steps, journalOf(paths.indexOf(failed), ''));
  expect(needed('each[2].look')).toEqual(['first', 'each', 'each[2].ask', 'each[2].use']);
  expect(needed('each[1].ask')).toEqual(['first', 'each']);
  expect(needed('last')).toEqual(['first', 'each']);
});
