import type { ServerResponse } from 'node:http';
import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';

const get = { method: 'GET', url: '${{ inputs.url }}' };

/** Returns a workflow that makes calls in a loop. `last` contains further steps of each iteration. */
const looping = (name: string, last: object[] = []) => ({
  name,
  inputs: { url: { type: 'string', required: true }, items: { type: 'array', required: true } },
  steps: [
    {
      id: 'each',
      use: 'for_each',
      with: { items: '${{ inputs.items }}' },
      steps: [{ id: 'call', use: 'http.request', with: get }, ...last],
    },
    { id: 'after', use: 'account.create', with: { set: { account_name: 'After' } } },
  ],
});

const make = { id: 'make', use: 'account.create', with: { set: { account_name: 'Round ${{ string(index) }}' } } };
const items = (length: number) => Array.from({ length }, (_, at) => at);
const answering = (characters: number) => startOutside((response) => response.end('x'.repeat(characters)));

test('a run whose outputs are too large fails, and the error names the step', async () => {
  await using outside = await answering(250_000);
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const run = await workflows.run(looping('large'), {
    inputs: { url: outside.url, items: items(100) },
    status: 'failed',
  });
  expect(run.error).toMatchObject({ code: 'run_too_large', step: 'each[7].call' });
  expect(outside.received).toHaveLength(8);
});

test('only the last output of each iteration is kept in memory, so a loop can handle any number of large responses', async () => {
  await using outside = await answering(250_000);
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const run = await workflows.run(looping('seeing', [make]), { inputs: { url: outside.url, items: items(12) } });
  expect(run.steps.filter(({ path }) => path.endsWith('.make'))).toHaveLength(12);
});

test('a run that was interrupted after a loop of large responses continues with the same values', async () => {
  let cut = true;
  await using outside = await startOutside((response, _received, count) => {
    if (count === 9 && cut) response.writeHead(503).end();
    else response.end('x'.repeat(200_000));
  });
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const retried = looping('retried', [make]);
  const id = await workflows.deliver(await workflows.apply(retried), {
    inputs: { url: outside.url, items: items(12) },
  });
  // On a busy machine large responses take longer, and so do the pauses after them.
  await until(() => expect(outside.received.length).toBeGreaterThan(8));
  cut = false;
  const run = await workflows.reached(id, 'succeeded');
  expect(run.steps.find(({ path }) => path === 'each')?.output).toHaveLength(12);
  expect(outside.received).toHaveLength(13);
});

test('runs that together need more than the memory limit all end, one after another', async () => {
  await using outside = await answering(200_000);
  await using workflows = await startWorkflows();
  // One organization gets half of the memory: room for three responses at once.
  const worker = await workflows.openWorker({ memoryBytes: 2_000_000 });
  const id = await workflows.apply(looping('many', []));
  const inputs = { url: outside.url, items: items(2) };
  const runs = await Promise.all(Array.from({ length: 8 }, () => workflows.deliver(id, { inputs })));
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(outside.received).toHaveLength(16);
  expect(await worker.metrics.metrics()).toMatch(/workflow_runs_total\{ending="waiting".*\} [1-9]/);
});

test('the definitions of runs in progress count towards the memory of their organization, and other organizations are not affected', async () => {
  const calls: ServerResponse[] = [];
  await using outside = await startOutside((response) => calls.push(response));
  await using workflows = await startWorkflows();
  const other = await workflows.another();
  // One organization gets half of the memory: room for one definition.
  await workflows.openWorker({ memoryBytes: 400_000 });
  const large = async (name: string) => {
    const call = {
      id: 'call',
      use: 'http.request',
      timeout: '1m',
      with: { ...get, method: 'POST', json: 'x'.repeat(110_000) },
    };
    const id = await workflows.apply({ name, inputs: { url: { type: 'string' } }, steps: [call] });
    return workflows.deliver(id, { inputs: { url: outside.url } });
  };
  const first = await large('first');
  await until(() => expect(calls).toHaveLength(1));
  const second = await large('second');
  await workflows.reached(second, 'waiting');
  await other.run({ name: 'small', inputs: {}, steps: [{ ...make, with: { set: { account_name: 'Small' } } }] });
  expect(calls).toHaveLength(1);
  calls[0]!.end('{}');
  await workflows.reached(first, 'succeeded');
  await until(() => expect(calls).toHaveLength(2));
  calls[1]!.end('{}');
  await workflows.reached(second, 'succeeded');
});

test.each([
  { characters: 5_000_000, memoryBytes: 64_000_000 },
  // This is below the limit of 2,000,000 characters per run, but above half of this worker's memory.
  { characters: 1_200_000, memoryBytes: 2_000_000 },
])(
  'a journal of $characters characters is not loaded into $memoryBytes bytes: the run fails, and its error names the largest step',
  async ({ characters, memoryBytes }) => {
    await using outside = await startOutside((response) => response.end());
    await using workflows = await startWorkflows();
    const wait = { id: 'wait', use: 'delay', with: { for: '1s' } };
    const definition = { ...looping('old'), steps: [{ id: 'call', use: 'http.request', with: get }, wait] };
    const first = await workflows.openWorker();
    const id = await workflows.deliver(await workflows.apply(definition), { inputs: { url: outside.url, items: [] } });
    await workflows.reached(id, 'waiting');
    await first[Symbol.asyncDispose]();
    const grow = statement<never>(
      'test.grow',
      `UPDATE workflow_run_steps SET output = to_json(repeat('x', $1::integer)) WHERE path = 'call'`,
    );
    await workflows.database.query(grow, [characters]);
    await workflows.openWorker({ memoryBytes });
    expect(await workflows.reached(id, 'failed')).toMatchObject({ error: { code: 'run_too_large', step: 'call' } });
  },
);

test.each([
  [
    'a skipped step',
    [{ id: 'tell', use: 'http.request', when: 'index < 0', with: { ...get, url: 'https://a.example/' } }],
    {},
  ],
  ['a failed step that does not end the run', [], { on_error: 'continue' }],
])('a run ends if a record step writes and then exceeds the memory, after %s', async (_what, before, more) => {
  await using workflows = await startWorkflows();
  await workflows.openWorker();
  const log = { id: 'log', use: 'activity.create', with: { content: '${{ inputs.text }}' }, ...more };
  const definition = {
    name: 'rolled-back',
    inputs: { text: { type: 'string' }, items: { type: 'array' } },
    steps: [{ id: 'each', use: 'for_each', with: { items: '${{ inputs.items }}' }, steps: [...before, log] }],
  };
  const inputs = { text: 'x'.repeat(25_000), items: items(100) };
  const { steps } = await workflows.run(definition, { inputs, status: 'failed' });
  const failed = steps.find((step) => step.path.endsWith('.log') && step.status === 'failed');
  expect(failed?.error?.code).toBe('run_too_large');
});

test('a record step with too much output is rolled back and named in the error, and no other run is delayed', async () => {
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 64 });
  const steps = Array.from({ length: 50 }, (_, at) => ({
    id: `log${at}`,
    use: 'activity.create',
    with: { content: '${{ inputs.text }}' },
  }));
  const definition = { name: 'records', inputs: { text: { type: 'string' } }, steps };
  const large = await workflows.apply(definition);
  const small = await workflows.apply({
    name: 'small',
    inputs: {},
    steps: [{ ...make, with: { set: { account_name: 'x' } } }],
  });
  const run = await workflows.deliver(large, { inputs: { text: 'x'.repeat(50_000) } });
  const others = await Promise.all(Array.from({ length: 10 }, () => workflows.deliver(small)));
  await Promise.all(others.map((other) => workflows.reached(other, 'succeeded')));
  const { error, steps: done } = await workflows.reached(run, 'failed');
  expect(error).toMatchObject({ code: 'run_too_large', step: done.at(-1)!.path });
  const count = statement<{ n: number }>('test.activities', 'SELECT count(*) AS n FROM custom_activities');
  expect(await workflows.database.query(count, [])).toEqual([{ n: done.length - 1 }]);
});

test.for([
  ['written', { use: 'account.create', with: { set: { account_name: 'Small' } } }, 3],
  ['only read', { use: 'account.find', with: { match: { account_name: 'Small' } } }, 1],
] as const)(
  'steps that have %s are committed once, together, before a find whose output is too large, and only the find fails',
  async ([, step, made]) => {
    await using workflows = await startWorkflows();
    const { orgId, owner, database } = workflows;
    const insert = `INSERT INTO accounts (org_id, id, account_name, address) VALUES
      ('${orgId}', uuidv7(), 'Small', 'x'), ('${orgId}', uuidv7(), 'Large', repeat('x', 20000))`;
    await owner.query(statement('', insert), []);
    // The outputs of a run may take a quarter of the memory.
    await workflows.openWorker({ memoryBytes: 16_000 });
    const find = { use: 'account.find', with: { match: { account_name: 'Large' } } };
    const steps = [
      { id: 'first', ...step },
      { id: 'second', ...step },
      { id: 'large', ...find, on_error: 'continue' },
      { id: 'last', use: 'activity.create', with: { content: 'Done' } },
    ];
    const run = await workflows.run({ name: 'finding', inputs: {}, steps });
    expect(run.steps.map(({ path, status, attempts, error }) => [path, status, attempts, error?.code])).toEqual([
      ['first', 'succeeded', 1, undefined],
      ['second', 'succeeded', 1, undefined],
      ['large', 'failed', 1, 'run_too_large'],
      ['last', 'succeeded', 1, undefined],
    ]);
    const effects = statement<{ small: number; activities: number; transactions: number }>(
      'test.effects',
      `SELECT (SELECT count(*) FROM accounts WHERE account_name = 'Small') AS small,
         (SELECT count(*) FROM custom_activities) AS activities,
         (SELECT count(DISTINCT xmin::text) FROM workflow_run_steps) AS transactions`,
    );
    expect(await database.query(effects, [])).toEqual([{ small: made, activities: 1, transactions: 2 }]);
  },
);
