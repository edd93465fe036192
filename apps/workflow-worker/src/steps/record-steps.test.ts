import { contacts, findMatches } from '@relata/records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import inboundLead from '../../../../examples/inbound-lead.json' with { type: 'json' };
import { startWorkflows } from '../workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
});
afterAll(() => workflows[Symbol.asyncDispose]());

const contactsOf = (email: string) => findMatches(workflows.database, workflows.orgId, contacts, { email }, 10);

test('a run executes its steps in order, and each sees those before it', async () => {
  const run = await workflows.run(inboundLead, { inputs: { email: 'ada@example.com', name: 'Ada' } });
  expect(run.steps).toMatchObject([
    { path: 'account', status: 'skipped', output: null },
    { path: 'contact', status: 'succeeded', attempts: 1, output: { first_name: 'Ada', action: 'created' } },
    { path: 'log', status: 'succeeded', output: { content: 'Form sent by ada@example.com', direction: 'inbound' } },
  ]);
  const [contact] = await contactsOf('ada@example.com');
  expect(contact).toMatchObject({ first_name: 'Ada', last_name: '(inbound)' });
  expect(run.steps[2]!.output).toMatchObject({ contact_ids: [contact!.id] });
});

test('many concurrent runs that upsert one contact create one contact', async () => {
  const id = await workflows.apply(inboundLead);
  const inputs = { email: 'many@example.com' };
  const runs = await Promise.all(Array.from({ length: 30 }, () => workflows.deliver(id, { inputs })));
  const ended = await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(await contactsOf(inputs.email)).toHaveLength(1);
  expect(ended.filter(({ steps }) => (steps[1]!.output as { action: string }).action === 'created')).toHaveLength(1);
});

test('the failed step of a group is named, and the steps before it are executed once', async () => {
  const steps = [
    {
      id: 'first',
      use: 'contact.create',
      with: { set: { first_name: 'Once', last_name: 'Only', email: 'once@example.com' } },
    },
    {
      id: 'second',
      use: 'account.update',
      with: { id: '00000000-0000-7000-8000-000000000000', set: { city: 'Berlin' } },
    },
    { id: 'third', use: 'account.create', with: { set: { account_name: 'Never' } } },
  ];
  const run = await workflows.run({ name: 'faulty', inputs: {}, steps }, { status: 'failed' });
  expect(run.error).toMatchObject({ step: 'second', code: 'not_found' });
  expect(run.steps.map(({ path, status }) => [path, status])).toEqual([
    ['first', 'succeeded'],
    ['second', 'failed'],
  ]);
  expect(await contactsOf('once@example.com')).toHaveLength(1);
});

test('a step whose condition is false is skipped, and its output is null', async () => {
  const steps = [
    { id: 'never', use: 'account.create', when: 'has(inputs.name)', with: { set: { account_name: 'x' } } },
    { id: 'log', use: 'activity.create', with: { content: '${{ steps.never == null ? "none" : "some" }}' } },
  ];
  const run = await workflows.run({ name: 'skipping', inputs: { name: { type: 'string' } }, steps });
  expect(run.steps).toMatchObject([
    { path: 'never', status: 'skipped', output: null },
    { path: 'log', status: 'succeeded', output: { content: 'none' } },
  ]);
});

test('a run continues after a failure that is passed over', async () => {
  const steps = [
    {
      id: 'gone',
      use: 'contact.update',
      on_error: 'continue',
      with: { id: '00000000-0000-7000-8000-000000000000', set: { title: 'x' } },
    },
    { id: 'log', use: 'activity.create', with: { content: '${{ steps.gone == null ? "none" : "some" }}' } },
  ];
  const run = await workflows.run({ name: 'passing', inputs: {}, steps });
  expect(run.steps).toMatchObject([
    { path: 'gone', status: 'failed', error: { code: 'not_found' } },
    { path: 'log', status: 'succeeded', output: { content: 'none' } },
  ]);
});

test('an expression that fails in one run fails no other run', async () => {
  const steps = [{ id: 'log', use: 'activity.create', with: { content: '${{ payload.user.name }}' } }];
  const id = await workflows.apply({ name: 'looking', inputs: {}, steps });
  const poisoned = await workflows.deliver(id, { payload: { user: 'nobody' } });
  const healthy = await workflows.deliver(id, { payload: { user: { name: 'Ada' } } });
  expect((await workflows.reached(healthy, 'succeeded')).steps[0]!.output).toMatchObject({ content: 'Ada' });
  expect((await workflows.reached(poisoned, 'failed')).error).toMatchObject({ step: 'log', code: 'expression_error' });
});

test('a loop executes its steps for each item, and its output lists the outputs of the last step', async () => {
  const steps = [
    {
      id: 'each',
      use: 'for_each',
      with: { items: '${{ inputs.names }}' },
      steps: [
        { id: 'account', use: 'account.create', with: { set: { account_name: '${{ item }}-${{ index }}' } } },
        { id: 'log', use: 'activity.create', with: { content: 'Made ${{ steps.account.account_name }}' } },
      ],
    },
    { id: 'sum', use: 'activity.create', with: { content: '${{ size(steps.each) }} made' } },
  ];
  const definition = { name: 'looping', inputs: { names: { type: 'array' } }, steps };
  const run = await workflows.run(definition, { inputs: { names: ['a', 'b'] } });
  expect(run.steps.map(({ path }) => path)).toEqual([
    'each',
    'each[0].account',
    'each[0].log',
    'each[1].account',
    'each[1].log',
    'sum',
  ]);
  const outputs = run.steps[0]!.output as { content: string }[];
  expect(outputs.map(({ content }) => content)).toEqual(['Made a-0', 'Made b-1']);
  expect(run.steps.at(-1)!.output).toMatchObject({ content: '2 made' });
});

test('a loop ends with the failure of a step inside it', async () => {
  const inner = [{ id: 'update', use: 'account.update', with: { id: '${{ item }}', set: { city: 'x' } } }];
  const loop = { id: 'each', use: 'for_each', with: { items: ['00000000-0000-7000-8000-000000000000'] }, steps: inner };
  const run = await workflows.run({ name: 'broken-loop', inputs: {}, steps: [loop] }, { status: 'failed' });
  expect(run.error).toMatchObject({ step: 'each[0].update', code: 'not_found' });
  expect(run.steps).toMatchObject([
    { path: 'each', status: 'failed' },
    { path: 'each[0].update', status: 'failed' },
  ]);
});
