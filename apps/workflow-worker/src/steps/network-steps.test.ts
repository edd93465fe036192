import { statement } from '@relata/db';
import { until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { foundWithinMs, startWorkflows } from '../workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
});
afterAll(() => workflows[Symbol.asyncDispose]());

/** Replaces a stored definition by one that only an earlier release would accept. */
const replaceDefinition = statement<never>(
  'test.replace_definition',
  'UPDATE workflow_versions SET definition = $2::json WHERE workflow_id = $1',
);

const inputs = { url: { type: 'string' } };
const call = (more: object = {}) => ({
  id: 'call',
  use: 'http.request',
  with: { method: 'POST', url: '${{ inputs.url }}', json: { delivery: '${{ delivery.id }}' } },
  retry: { max_attempts: 3, initial_delay: '10ms', max_delay: '50ms' },
  ...more,
});
const log = { id: 'log', use: 'activity.create', with: { content: 'Called: ${{ steps.call }}' } };
let count = 0;
const definition = (...steps: object[]) => ({ name: `calling-${count++}`, inputs, steps });

describe('a call to another system', () => {
  test("a call returns the response, and sends the run's id and the step as the idempotency key", async () => {
    await using outside = await startOutside((response) =>
      response.setHeader('content-type', 'application/json').end('{"id":7}'),
    );
    const run = await workflows.run(definition(call(), log), { inputs: { url: outside.url } });
    expect(run.steps).toMatchObject([
      { path: 'call', status: 'succeeded', attempts: 1, output: { status: 200, json: { id: 7 } } },
      { path: 'log', status: 'succeeded' },
    ]);
    expect(outside.received).toMatchObject([
      {
        method: 'POST',
        body: JSON.stringify({ delivery: run.delivery_id }),
        headers: { 'idempotency-key': `${run.id}:call` },
      },
    ]);
  });

  test('a call is retried after a transient failure, and its failed attempts are recorded', async () => {
    await using outside = await startOutside((response, _received, n) => response.writeHead(n < 3 ? 503 : 204).end());
    const run = await workflows.run(definition(call()), { inputs: { url: outside.url } });
    expect(outside.received).toHaveLength(3);
    expect(run.steps).toMatchObject([
      { status: 'succeeded', attempts: 3, failures: [{ attempt: 1, error: { code: 'bad_status' } }, { attempt: 2 }] },
    ]);
  });

  test('a call is not retried after a permanent failure', async () => {
    await using outside = await startOutside((response) => response.writeHead(422).end('no such thing'));
    const run = await workflows.run(definition(call(), log), { inputs: { url: outside.url }, status: 'failed' });
    expect(outside.received).toHaveLength(1);
    expect(run.error).toMatchObject({
      step: 'call',
      code: 'bad_status',
      details: { status: 422, body: 'no such thing' },
    });
  });

  test('a call that fails permanently ends the run, and a retry of the run starts at that call without repeating earlier steps', async () => {
    let isMended = false;
    await using outside = await startOutside((response) => response.writeHead(isMended ? 200 : 500).end());
    const before = { id: 'before', use: 'account.create', with: { set: { account_name: 'Once' } } };
    const run = await workflows.run(definition(before, call(), log), {
      inputs: { url: outside.url },
      status: 'failed',
    });
    expect(run.error).toMatchObject({ step: 'call' });
    expect(outside.received).toHaveLength(3);
    isMended = true;
    await workflows.retry(run.id);
    const retried = await workflows.reached(run.id, 'succeeded');
    expect(retried.steps.map(({ path }) => path)).toEqual(['before', 'call', 'log']);
    expect(retried.steps[0]).toEqual(run.steps[0]);
    expect(retried.steps[1]!.failures).toHaveLength(3);
    expect(outside.received).toHaveLength(4);
  });

  test('a call that succeeded is not repeated because a later step failed', async () => {
    await using outside = await startOutside((response) => response.end());
    const bad = {
      id: 'bad',
      use: 'account.update',
      with: { id: '00000000-0000-7000-8000-000000000000', set: { city: 'x' } },
    };
    const good = { id: 'good', use: 'account.create', with: { set: { account_name: 'Good' } } };
    const run = await workflows.run(definition(call(), good, bad), { inputs: { url: outside.url }, status: 'failed' });
    expect(run.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed']);
    expect(outside.received).toHaveLength(1);
  });

  test('a call that failed in a loop ends the loop, and stays failed when a later step is retried', async () => {
    let isMended = false;
    await using outside = await startOutside((response, { url }) => {
      response.writeHead(url.endsWith('bad') && !(isMended && url.startsWith('/last')) ? 404 : 200).end();
    });
    const each = { ...call({ with: { method: 'POST', url: '${{ inputs.url + item }}' } }), id: 'inner' };
    const loop = { id: 'each', use: 'for_each', on_error: 'continue', with: { items: ['bad', 'good'] }, steps: [each] };
    const bad = { id: 'bad', use: 'activity.create', on_error: 'continue', with: { content: '${{ 1 == 1 }}' } };
    const good = { id: 'good', use: 'activity.create', with: { content: 'null: ${{ steps.each == null }}' } };
    const last = call({ id: 'last', with: { method: 'POST', url: "${{ inputs.url + 'last/bad' }}" } });
    const run = await workflows.run(definition(loop, bad, good, last), {
      inputs: { url: outside.url },
      status: 'failed',
    });
    const states = ['each failed', 'each[0].inner failed', 'bad failed', 'good succeeded', 'last failed'];
    const statesOf = ({ steps }: typeof run) => steps.map(({ path, status }) => `${path} ${status}`);
    expect(statesOf(run)).toEqual(states);
    expect(run.steps[3]!.output).toMatchObject({ content: 'null: true' });
    isMended = true;
    await workflows.retry(run.id);
    const retried = await workflows.reached(run.id, 'succeeded');
    expect(statesOf(retried)).toEqual([...states.slice(0, 4), 'last succeeded']);
    expect(outside.received.map(({ url }) => url)).toEqual(['/bad', '/last/bad', '/last/bad']);
  });

  test('a call goes to the path of its URL, whatever the value of an input', async () => {
    await using outside = await startOutside((response) => response.end());
    const url = `${outside.url}people/\${{ inputs.email }}/score?of=\${{ inputs.email }}`;
    const email = { email: { type: 'string', format: 'email' } };
    const headers = { authorization: 'Bearer operator' };
    const scoring = {
      name: `scoring-${count++}`,
      inputs: email,
      steps: [call({ with: { method: 'GET', url, headers } })],
    };
    const id = await workflows.apply(scoring);
    const hostile = ['../../admin/delete?all=1#', '%2e%2e/%2e%2e/admin/delete?all=1#@x.y', 'ada+x@y.example'];
    for (const value of hostile)
      await workflows.reached(await workflows.deliver(id, { inputs: { email: value } }), 'succeeded');
    const encoded = hostile.map((value) => encodeURIComponent(value));
    expect(outside.received.map((one) => one.url)).toEqual(encoded.map((one) => `/people/${one}/score?of=${one}`));
  });

  test('a call is not made if an input would become a dot segment of the path', async () => {
    await using outside = await startOutside((response) => response.end());
    const url = `${outside.url}people/\${{ inputs.url }}/score`;
    const given = { inputs: { url: '..' }, status: 'failed' } as const;
    const run = await workflows.run(definition(call({ with: { method: 'GET', url } })), given);
    expect(run.error).toMatchObject({
      step: 'call',
      code: 'expression_error',
      message: expect.stringContaining('url:'),
    });
    expect(outside.received).toEqual([]);
  });

  test('a stored definition with an expression in its host makes no call', async () => {
    const url = 'http://${{ inputs.url }}/people';
    const stored = definition(call({ with: { method: 'GET', url } }));
    const id = await workflows.apply(definition(call()));
    await workflows.database.query(replaceDefinition, [id, JSON.stringify(stored)]);
    const run = await workflows.reached(await workflows.deliver(id, { inputs: { url: 'x' } }), 'failed');
    expect(run.error).toMatchObject({ code: 'invalid_definition', message: expect.stringContaining('in its host') });
    expect(run.steps).toEqual([]);
  });

  test('a call to a non-public address is refused', async () => {
    const run = await workflows.run(definition(call()), { inputs: { url: 'http://127.0.0.2:1/' }, status: 'failed' });
    expect(run.error).toMatchObject({ code: 'refused_address' });
  });

  test('a call that hangs ends at its timeout', async () => {
    await using outside = await startOutside(() => undefined);
    const slow = call({ timeout: '100ms', retry: { max_attempts: 1 } });
    const run = await workflows.run(definition(slow), { inputs: { url: outside.url }, status: 'failed' });
    expect(run.error).toMatchObject({ code: 'timeout' });
  });

  test('a call ends when its run is cancelled, and no result is written', async () => {
    await using outside = await startOutside(() => undefined);
    const id = await workflows.deliver(await workflows.apply(definition(call(), log)), {
      inputs: { url: outside.url },
    });
    await until(() => expect(outside.received).toHaveLength(1), foundWithinMs);
    expect((await workflows.runOf(id)).steps).toMatchObject([{ path: 'call', status: 'running', attempts: 1 }]);
    await workflows.cancel(id);
    const run = await workflows.reached(id, 'cancelled');
    expect(run.steps).toMatchObject([{ path: 'call', status: 'failed', error: { code: 'cancelled' } }]);
  });
});
