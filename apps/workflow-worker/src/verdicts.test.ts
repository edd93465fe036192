import { TimeSlicer } from '@relata/workflows';
import { predictRetry } from '@relata/workflows/runs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkflows } from './workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
});
afterAll(() => workflows[Symbol.asyncDispose]());

const predict = (id: string) =>
  predictRetry(
    workflows.database,
    workflows.orgId,
    id,
    new TimeSlicer({ workMsMax: 1_000, takeTurn: () => Promise.resolve() }),
  );

let count = 0;
const definition = (...steps: object[]) => ({
  name: `simulated-${count++}`,
  inputs: { text: { type: 'string' }, items: { type: 'array' } },
  steps: [{ id: 'account', use: 'account.create', with: { set: { account_name: 'Done' } } }, ...steps],
});
const long = 'x'.repeat(300);
const contact = (first: string) => ({ use: 'contact.create', with: { set: { first_name: first, last_name: 'L' } } });

test.for<[string, object, string]>([
  ['reads a missing input', { id: 's', ...contact('${{ inputs.none_given }}') }, 's'],
  ['gives a field an invalid value', { id: 's', ...contact('${{ inputs.text }}') }, 's'],
  ['reads an earlier output', { id: 's', ...contact('${{ steps.account.account_name + inputs.text }}') }, 's'],
  [
    'fails in an iteration of a loop',
    {
      id: 's',
      use: 'for_each',
      with: { items: '${{ inputs.items }}' },
      steps: [{ id: 'one', ...contact('${{ item }}') }],
    },
    's[1].one',
  ],
  ['has an invalid delay', { id: 's', use: 'delay', with: { for: '${{ inputs.text }}' } }, 's'],
  [
    'loops over a value that is not a list',
    { id: 's', use: 'for_each', with: { items: '${{ payload }}' }, steps: [{ id: 'a', ...contact('A') }] },
    's',
  ],
  [
    'updates a record without a valid id',
    { id: 's', use: 'contact.update', with: { id: '${{ inputs.text }}', set: { last_name: 'B' } } },
    's',
  ],
])('retrying a step that %s fails as predicted (found B5)', async ([, step, path]) => {
  const given = definition(step);
  const inputs = { ...given.inputs, none_given: { type: 'string' } };
  const run = await workflows.run(
    { ...given, inputs },
    { inputs: { text: long, items: ['Ada', long] }, status: 'failed' },
  );
  const { retry, latest } = await predict(run.id);
  expect(retry).toMatchObject({ version: 1, fails: { step: path, code: run.error!.code, is_certain: true } });
  expect(run.error!.step).toBe(path);
  expect(latest).toBeUndefined();
});

test('a retry with a repaired newest version is predicted to continue, and a version without a finished step is refused (found B5)', async () => {
  const given = definition({ id: 's', ...contact('${{ inputs.text }}') });
  const run = await workflows.run(given, { inputs: { text: long }, status: 'failed' });
  await workflows.apply({ ...given, steps: [given.steps[0]!, { id: 's', ...contact('Ada') }] });
  expect(await predict(run.id)).toMatchObject({
    retry: { fails: { step: 's' } },
    latest: { version: 2, refusal: undefined, fails: undefined },
  });
  await workflows.apply({ ...given, steps: [{ id: 's', ...contact('Ada') }] });
  expect((await predict(run.id)).latest).toMatchObject({
    refusal: expect.stringContaining('the finished step account does not exist'),
  });
});

test('the failure of a call is not predicted, since the other system may answer differently (found B5)', async () => {
  const call = { id: 's', use: 'http.request', with: { method: 'GET', url: 'http://127.0.0.2:1/' } };
  const run = await workflows.run(definition(call), { inputs: {}, status: 'failed' });
  expect((await predict(run.id)).retry).toEqual({ version: 1, refusal: undefined, fails: undefined });
});
