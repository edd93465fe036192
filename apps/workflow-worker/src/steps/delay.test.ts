import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkflows } from '../workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
});
afterAll(() => workflows[Symbol.asyncDispose]());

let count = 0;
const definition = (...steps: object[]) => ({ name: `delaying-${count++}`, inputs: {}, steps });
const log = { id: 'log', use: 'activity.create', with: { content: 'Woke at ${{ steps.wait.woke_at }}' } };
const wait = (given: object) => ({ id: 'wait', use: 'delay', with: given });

test('a delay ends at its time or soon after, never before', async () => {
  const run = await workflows.run(definition(wait({ for: '300ms' }), log));
  const [step] = run.steps;
  const tookMs = Date.parse((step!.output as { woke_at: string }).woke_at) - Date.parse(step!.started_at!);
  expect(tookMs).toBeGreaterThanOrEqual(300);
  expect(run.steps).toHaveLength(2);
});

test('shows steps in the order in which they began, including delays', async () => {
  const made = (id: string) => ({ id, use: 'account.create', with: { set: { account_name: id } } });
  const steps = [
    made('z'),
    wait({ for: '10ms' }),
    made('y'),
    { ...wait({ for: '10ms' }), id: 'x' },
    made('b'),
    made('a'),
  ];
  const run = await workflows.run(definition(...steps));
  expect(run.steps.map(({ path }) => path)).toEqual(['z', 'wait', 'y', 'x', 'b', 'a']);
});

test('a run that waits for its delay occupies no worker', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const run = await workflows.run(definition(wait({ until })), { status: 'waiting' });
  expect(run).toMatchObject({ wake_at: until, steps: [{ status: 'waiting', wake_at: until }] });
});

test('a computed delay may have a precision of milliseconds, and lasts at most 365 days', async () => {
  const steps = (text: string) => definition(wait({ for: `\${{ duration("${text}") }}` }));
  const run = await workflows.run(steps('8759h59m59s999ms'), { status: 'waiting' });
  expect((Date.parse(run.wake_at!) - Date.now()) / 86_400_000).toBeCloseTo(365, 0);
  const failed = await workflows.run(steps('8760h1ms'), { status: 'failed' });
  expect(failed.error).toMatchObject({ step: 'wait', details: [{ field: 'for', message: 'Must be at most 365d.' }] });
});
