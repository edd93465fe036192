import { randomUUID } from 'node:crypto';
import { statement } from '@relata/db';
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

test('a run executes its steps in order, and each step can read the outputs of the steps before it', async () => {
  const run = await workflows.run(inboundLead, { inputs: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  expect(run.steps).toMatchObject([
    { path: 'account', status: 'skipped', output: null },
    { path: 'contact', status: 'succeeded', attempts: 1, output: { first_name: 'Ada', action: 'created' } },
    { path: 'log', status: 'succeeded', output: { content: 'Form sent by ada@example.com', direction: 'inbound' } },
  ]);
  const [contact] = await contactsOf('ada@example.com');
  expect(contact).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace' });
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

const considerate = {
  name: 'considerate',
  inputs: {
    email: { type: 'string' },
    first: { type: 'string' },
    company: { type: 'string' },
    tag: { type: 'string' },
  },
  steps: [
    {
      id: 'contact',
      use: 'contact.upsert',
      with: {
        match: { email: '${{ inputs.email }}' },
        create: { first_name: '${{ inputs.first }}', last_name: '(form)' },
        fill: { company: '${{ inputs.company }}' },
        add: { tags: ['form', '${{ inputs.tag }}'] },
        on_several: 'oldest',
      },
    },
    {
      id: 'account',
      use: 'contact.update',
      with: { id: '${{ steps.contact.id }}', fill: { city: 'Bern', company: 'Never' }, add: { tags: ['updated'] } },
    },
  ],
};

test('an upsert or update does not change the names and filled fields of a known person, and adds tags', async () => {
  const inputs = { email: 'known@example.com', first: 'Ada', company: 'Engines', tag: 'a' };
  const created = await workflows.run(considerate, { inputs });
  expect(created.steps[0]!.output).toMatchObject({ action: 'created', first_name: 'Ada', tags: ['form', 'a'] });
  const stranger = { ...inputs, first: 'Nobody', company: 'Other', tag: 'b' };
  const again = await workflows.run(considerate, { inputs: stranger });
  expect(again.steps[0]!.output).toMatchObject({ action: 'updated' });
  expect(await contactsOf(inputs.email)).toEqual([
    expect.objectContaining({
      first_name: 'Ada',
      company: 'Engines',
      city: 'Bern',
      tags: ['form', 'a', 'updated', 'b'],
    }),
  ]);
  const third = await workflows.run(considerate, { inputs: stranger });
  expect(third.steps[0]!.output).toMatchObject({ action: 'unchanged' });
});

test('if many concurrent runs add tags to one contact, found in two ways, the contact has every tag once', async () => {
  const [contact] = (
    await workflows.run(considerate, { inputs: { email: 'tags@example.com', first: 'A', company: 'B', tag: 'c' } })
  ).steps;
  const { id } = contact!.output as { id: string };
  const add = { tags: ['${{ inputs.tag }}'] };
  const steps = [
    {
      id: 'one',
      use: 'contact.upsert',
      when: 'inputs.by == "email"',
      with: { match: { email: 'tags@example.com' }, add },
    },
    { id: 'two', use: 'contact.update', when: 'inputs.by == "id"', with: { id, add } },
  ];
  const inputs = { tag: { type: 'string' }, by: { type: 'string' } };
  const workflow = await workflows.apply({ name: 'tagging', inputs, steps });
  const tags = Array.from({ length: 40 }, (_, i) => `tag ${i}`);
  const runs = await Promise.all(
    tags.map((tag, i) => workflows.deliver(workflow, { inputs: { tag, by: i % 2 ? 'email' : 'id' } })),
  );
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  const [stored] = await contactsOf('tags@example.com');
  expect(stored!.tags.toSorted()).toEqual(['c', 'form', 'updated', ...tags].toSorted());
});

test('a step deletes a record and returns it as it was before; an account with opportunities requires a cascade', async () => {
  const steps = [
    { id: 'account', use: 'account.create', with: { set: { account_name: 'Gone' } } },
    {
      id: 'deal',
      use: 'opportunity.create',
      with: { set: { opportunity_name: 'Deal', account_id: '${{ steps.account.id }}' } },
    },
    {
      id: 'refused',
      use: 'account.delete',
      on_error: 'continue',
      with: { id: '${{ steps.account.id }}', cascade: false },
    },
    { id: 'removed', use: 'account.delete', with: { id: '${{ steps.account.id }}', cascade: true } },
    { id: 'log', use: 'activity.create', with: { content: '${{ steps.removed.account_name }}' } },
    { id: 'again', use: 'account.delete', on_error: 'continue', with: { id: '${{ steps.account.id }}' } },
  ];
  const run = await workflows.run({ name: 'deleting', inputs: {}, steps });
  expect(run.steps.slice(2)).toMatchObject([
    { path: 'refused', status: 'failed', error: { code: 'in_use', details: { used_by: { opportunities: 1 } } } },
    { path: 'removed', status: 'succeeded', output: { account_name: 'Gone' } },
    { path: 'log', output: { content: 'Gone' } },
    { path: 'again', status: 'failed', error: { code: 'not_found' } },
  ]);
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

test('a run continues after the failure of a step with on_error: continue', async () => {
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

test('each failure of a record step and of its loop is recorded, also over several retries', async () => {
  const missing = randomUUID();
  const inner = [{ id: 'update', use: 'account.update', with: { id: '${{ item }}', set: { city: 'Berlin' } } }];
  const loop = { id: 'each', use: 'for_each', with: { items: [missing] }, steps: inner };
  const { id } = await workflows.run({ name: 'retried', inputs: {}, steps: [loop] }, { status: 'failed' });
  await workflows.retry(id);
  await workflows.reached(id, 'failed');
  const insert = statement<never>(
    'test.insert_account',
    "INSERT INTO accounts (org_id, id, account_name) VALUES ($1, $2, 'Late')",
  );
  await workflows.database.query(insert, [workflows.orgId, missing]);
  await workflows.retry(id);
  const { steps } = await workflows.reached(id, 'succeeded');
  expect(steps).toMatchObject([
    { path: 'each', status: 'succeeded', failures: [{ error: { step: 'each[0].update' } }, { attempt: 1 }] },
    { path: 'each[0].update', failures: [{ error: { code: 'not_found' } }, { error: { code: 'not_found' } }] },
  ]);
  for (const { failures } of steps) expect(failures[0]!.finished_at < failures[1]!.finished_at).toBe(true);
});

test('only the latest 100 failures of a step are kept', async () => {
  const missing = { id: randomUUID(), set: { city: 'Berlin' } };
  const steps = [{ id: 'update', use: 'account.update', with: missing }];
  const { id } = await workflows.run({ name: 'often', inputs: {}, steps }, { status: 'failed' });
  const fill = statement<never>(
    'test.fill_failures',
    `UPDATE workflow_run_steps SET failures = (SELECT json_agg(json_build_object('attempt', n)) FROM generate_series(1, 100) n)
     WHERE org_id = $1 AND run_id = $2`,
  );
  await workflows.database.query(fill, [workflows.orgId, id]);
  await workflows.retry(id);
  const { failures } = (await workflows.reached(id, 'failed')).steps[0]!;
  expect(failures).toHaveLength(100);
  expect(failures[0]).toEqual({ attempt: 2 });
  expect(failures.at(-1)).toMatchObject({ error: { code: 'not_found' } });
});
