import { statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
let outside: Awaited<ReturnType<typeof startOutside>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
  outside = await startOutside((response, { url }) => response.writeHead(url.includes('broken') ? 400 : 204).end());
});
afterAll(async () => {
  await outside[Symbol.asyncDispose]();
  await workflows[Symbol.asyncDispose]();
});

const countActivities = statement<{ n: number }>(
  'test.count_activities',
  'SELECT count(*)::integer AS n FROM custom_activities WHERE org_id = $1 AND content = $2',
);
const activities = async (content: string) =>
  (await workflows.database.query(countActivities, [workflows.orgId, content]))[0]!.n;

const log = (id: string, content: string) => ({ id, use: 'activity.create', with: { content } });
const call = (path: string, id = 'call') => ({
  id,
  use: 'http.request',
  with: { method: 'POST', url: `${outside.url}${path}` },
});
let count = 0;

/** Executes a run that fails, and returns it with the name of its workflow. */
async function fail(steps: object[], given: { inputs?: Record<string, unknown> } = {}) {
  const name = `repaired-${count++}`;
  const run = await workflows.run({ name, steps }, { status: 'failed', ...given });
  return { name, id: run.id, deliveryId: run.delivery_id };
}

const retryLatest = (id: string) => workflows.retry(id, { isLatest: true });

test('S.7: a run whose third step failed continues with a repaired version, and does not execute steps one and two again', async () => {
  const [one, two] = [log('one', 'repaired one'), log('two', 'repaired two')];
  const { name, id } = await fail([one, two, call('broken')]);
  await workflows.apply({ name, steps: [one, two, call('good'), log('four', '${{ steps.one.content }}, four')] });
  expect(await workflows.retry(id)).toMatchObject([{ version: 1, latest_version: 2 }]);
  await workflows.reached(id, 'failed');
  expect(await retryLatest(id)).toMatchObject([{ id, status: 'queued', version: 2, latest_version: 2 }]);
  const run = await workflows.reached(id, 'succeeded');
  expect(run.version).toBe(2);
  expect(run.steps).toMatchObject([
    { path: 'one', attempts: 1 },
    { path: 'two', attempts: 1 },
    { path: 'call', status: 'succeeded', output: { status: 204 } },
    { path: 'four', output: { content: 'repaired one, four' } },
  ]);
  expect([await activities('repaired one'), await activities('repaired two')]).toEqual([1, 1]);
});

test('in the new version, the failed step may have a different kind or be missing', async () => {
  const replaced = await fail([log('one', 'kind'), call('broken')]);
  await workflows.apply({ name: replaced.name, steps: [log('one', 'kind'), log('call', 'instead')] });
  await retryLatest(replaced.id);
  expect((await workflows.reached(replaced.id, 'succeeded')).steps).toMatchObject([
    { path: 'one' },
    { path: 'call', use: 'activity.create', status: 'succeeded', failures: [{ error: { code: 'bad_status' } }] },
  ]);
  const gone = await fail([log('one', 'kind'), call('broken')]);
  await workflows.apply({ name: gone.name, steps: [log('one', 'kind'), log('other', 'instead')] });
  await retryLatest(gone.id);
  expect((await workflows.reached(gone.id, 'succeeded')).steps).toMatchObject([
    { path: 'one' },
    { path: 'call', status: 'failed', error: { code: 'bad_status' } },
    { path: 'other', status: 'succeeded' },
  ]);
});

test('a loop continues in the failed iteration, even if the new version adds steps to the loop', async () => {
  const loop = (...steps: object[]) => ({ id: 'each', use: 'for_each', with: { items: [1, 2] }, steps });
  const a = log('a', 'round ${{ item }}');
  const failing = { ...call('broken'), when: 'index == 1' };
  const { name, id } = await fail([loop(a, failing)]);
  const [first, last] = [
    log('first', 'first ${{ item }}'),
    log('last', '${{ steps.a.content }}, ${{ steps.first.content }}'),
  ];
  await workflows.apply({ name, steps: [loop(first, a, { ...call('good'), when: 'index == 1' }, last)] });
  await retryLatest(id);
  const run = await workflows.reached(id, 'succeeded');
  expect(run.steps.find(({ path }) => path === 'each')!.output).toMatchObject([
    { content: 'round 1, first 1' },
    { content: 'round 2, first 2' },
  ]);
  expect([await activities('round 1'), await activities('round 2')]).toEqual([1, 1]);
  expect(await workflows.runOf(id)).toMatchObject({ version: 2 });
});

test('a loop over a list of 1,000,000 characters continues with the items that it started with', async () => {
  const list = ['a', 'b', ''];
  list[2] = 'c'.repeat(1_000_000 - JSON.stringify(list).length);
  const inputs = { list: { type: 'array' } };
  const loop = (items: string, path: string) => {
    const failing = { ...call(path), when: 'index == 1' };
    return {
      id: 'each',
      use: 'for_each',
      with: { items },
      steps: [log('a', 'item ${{ item.substring(0, 1) }}'), failing],
    };
  };
  const name = `repaired-${count++}`;
  const definition = { name, inputs, steps: [loop('${{ inputs.list }}', 'broken')] };
  const { id } = await workflows.run(definition, { status: 'failed', inputs: { list } });
  const others = { ...definition, steps: [loop("${{ ['x', 'y', 'z'] }}", 'good')] };
  await workflows.apply(others);
  await retryLatest(id);
  await workflows.reached(id, 'succeeded');
  const contents = ['a', 'b', 'c', 'x', 'y', 'z'].map((item) => activities(`item ${item}`));
  expect(await Promise.all(contents)).toEqual([1, 1, 1, 0, 0, 0]);
});

test('a new step in a finished iteration can read the outputs of that iteration', async () => {
  const loop = (...steps: object[]) => ({ id: 'each', use: 'for_each', with: { items: [1, 2] }, steps });
  const [a, z] = [log('a', 'over ${{ item }}'), log('z', 'end')];
  const { name, id } = await fail([loop(a, { ...call('broken'), when: 'index == 1' }, z)]);
  const between = log('between', 'between ${{ steps.a.content }}');
  await workflows.apply({ name, steps: [loop(a, between, { ...call('good'), when: 'index == 1' }, z)] });
  await retryLatest(id);
  await workflows.reached(id, 'succeeded');
  expect([await activities('between over 1'), await activities('between over 2')]).toEqual([1, 1]);
  expect(await activities('end')).toBe(2);
});

describe('a retry with the newest version', () => {
  const done = () => [
    log('one', 'refused'),
    { id: 'two', use: 'delay', with: { for: '1ms' } },
    log('three', 'refused'),
  ];

  test.each<[string, (steps: object[]) => object[], RegExp]>([
    ['is missing', ([, two, three]) => [two!, three!], /the finished step one does not exist in it/],
    [
      'has another id',
      ([one, two, three]) => [{ ...one, id: 'uno' }, two!, three!],
      /the finished step one does not exist in it/,
    ],
    [
      'is of another kind',
      ([one, , three]) => [one!, log('two', 'x'), three!],
      /the finished step two was delay and is now activity\.create/,
    ],
    ['has moved', ([one, two, three]) => [one!, three!, two!], /the finished step three has another position/],
    [
      'is in a loop',
      ([one, two, three]) => [one!, two!, { id: 'each', use: 'for_each', with: { items: [1] }, steps: [three] }],
      /the finished step three does not exist in it/,
    ],
  ])('a retry is refused if a finished step %s, and the error names the step', async (_what, change, said) => {
    const { name, id } = await fail([...done(), call('broken')]);
    await workflows.apply({ name, steps: [...change(done()), call('good')] });
    await expect(retryLatest(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(said) });
    expect(await workflows.runOf(id)).toMatchObject({ status: 'failed', version: 1, error: { step: 'call' } });
    expect((await workflows.runOf(id)).steps.at(-1)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('a retry is refused if the run has no value for a new required input; other new inputs get their defaults', async () => {
    const { name, id } = await fail([call('broken')]);
    const inputs = { to: { type: 'string', required: true }, of: { type: 'string', default: 'Acme' } };
    await workflows.apply({ name, inputs, steps: [call('good')] });
    await expect(retryLatest(id)).rejects.toMatchObject({ message: expect.stringContaining('input "to" is required') });
    await workflows.apply({ name, inputs: { of: inputs.of }, steps: [log('of', '${{ inputs.of }}')] });
    await retryLatest(id);
    expect(await workflows.reached(id, 'succeeded')).toMatchObject({ version: 3, inputs: { of: 'Acme' } });
  });

  test('a retry is refused for a run that did not fail, and for another organization', async () => {
    const { id } = await workflows.run({ name: `ended-${count++}`, steps: [log('one', 'ended')] });
    await expect(retryLatest(id)).rejects.toMatchObject({ code: 'conflict' });
    const another = await workflows.another();
    await expect(another.retry(id, { isLatest: true })).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('a concurrency limit in the new version applies to a run that continues with it', async () => {
  const { name, id } = await fail([call('broken')]);
  await workflows.apply({ name, max_running: 1, steps: [call('good')] });
  await retryLatest(id);
  expect(await workflows.reached(id, 'succeeded')).toMatchObject({ version: 2 });
});

test('a replay preview lists the steps that earlier runs have executed, and the replay executes them again', async () => {
  const { name, deliveryId } = await fail([log('one', 'again'), call('broken')]);
  const steps = [log('one', 'again'), log('new', 'again'), call('good')];
  const workflowId = await workflows.apply({ name, steps });
  const replayed = await workflows.replay(deliveryId, workflowId);
  expect(replayed.repeated).toEqual([{ workflow_id: workflowId, workflow: name, steps: ['one'] }]);
  await workflows.reached(replayed.runs[0]!, 'succeeded');
  const again = await workflows.replay(deliveryId, workflowId);
  expect(again.repeated).toEqual([{ workflow_id: workflowId, workflow: name, steps: ['one', 'new', 'call'] }]);
});
