import { statement } from '@relata/db';
import { expectWithin, until } from '@relata/testing';
import { claimRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';

const make = { id: 'make', use: 'account.create', with: { set: { account_name: 'Made' } } };
const simple = { name: 'simple', inputs: {}, steps: [make] };
const calling = {
  name: 'calling',
  inputs: { url: { type: 'string' } },
  steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ inputs.url }}' }, timeout: '60s' }, make],
};

/** Time in milliseconds within which a run must succeed despite other runs; long enough for a busy machine. */
const soonMs = 30_000;

test('an organization whose calls are never answered leaves slots for other organizations', async () => {
  await using outside = await startOutside(() => undefined);
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 8 });
  const other = await workflows.another();
  const simpleId = await other.apply(simple);
  const callingId = await workflows.apply(calling);
  await Promise.all(Array.from({ length: 100 }, () => workflows.deliver(callingId, { inputs: { url: outside.url } })));
  // The organization has half of the slots for calls, and half of the slots for work.
  await until(() => expect(outside.received).toHaveLength(64 + 16));
  for (let i = 0; i < 3; i++) await other.reached(await other.deliver(simpleId), 'succeeded', soonMs);
  expect(outside.received).toHaveLength(64 + 16);
});

test('a run that waits for a response holds no slot for work', async () => {
  let respond: (() => void) | undefined;
  await using outside = await startOutside((response) => void (respond = () => response.end()));
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 1 });
  const waiting = await workflows.deliver(await workflows.apply(calling), { inputs: { url: outside.url } });
  await until(() => expect(respond).toBeDefined());
  await workflows.reached(await workflows.deliver(await workflows.apply(simple)), 'succeeded', soonMs);
  respond!();
  expect(await workflows.reached(waiting, 'succeeded')).toMatchObject({ error: null });
});

test('runs with more calls than there are slots for calls all end', async () => {
  await using outside = await startOutside((response) => void setTimeout(() => response.end(), 20));
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 2 });
  const calls = Array.from({ length: 5 }, (_, at) => ({ ...calling.steps[0], id: `call${at}` }));
  const id = await workflows.apply({ ...calling, steps: [...calls, make] });
  const runs = await Promise.all(
    Array.from({ length: 20 }, () => workflows.deliver(id, { inputs: { url: outside.url } })),
  );
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(outside.received).toHaveLength(100);
});

/** Copies a run to runs that have been due for an hour. */
const copy = statement<never>(
  'test.copy_runs',
  `INSERT INTO workflow_runs (org_id, id, workflow_id, version, delivery_id, trigger_id, replay, inputs, due_at)
   SELECT org_id, gen_random_uuid(), workflow_id, version, delivery_id, trigger_id, n, inputs, now() - interval '1 hour'
   FROM workflow_runs, generate_series(1, $2::integer) AS n WHERE id = $1`,
);

test('a run that is named in many hints takes one slot, and releases it', async () => {
  await using workflows = await startWorkflows();
  const worker = await workflows.openWorker();
  const id = await workflows.apply(simple);
  const first = await workflows.deliver(id);
  await workflows.reached(first, 'succeeded');
  const run = await workflows.deliver(id, { isSilent: true });
  for (let i = 0; i < 3; i++) workflows.notify(Array(16).fill([workflows.orgId, run]));
  await workflows.reached(run, 'succeeded');
  await until(async () => {
    const text = await worker.metrics.metrics();
    expect(text).toMatch(/^workflow_places\{.*kind="runs".*state="held".*\} 0$/m);
  });
});

test('a due run is found at once behind any number of due runs of another organization', async () => {
  await using workflows = await startWorkflows();
  const other = await workflows.another();
  const [first, found] = [await workflows.apply(simple), await other.apply(simple)];
  await workflows.database.query(copy, [await workflows.deliver(first, { isSilent: true }), 20_000]);
  const run = await other.deliver(found, { isSilent: true });
  await workflows.openWorker({ natsUrl: 'nats://127.0.0.1:1', concurrency: 4 });
  expect(await other.reached(run, 'succeeded', soonMs)).toMatchObject({ error: null });
});

test('messages of one organization do not delay later messages of another organization', async () => {
  await using outside = await startOutside(() => undefined);
  await using workflows = await startWorkflows();
  await workflows.openWorker({ concurrency: 4 });
  const other = await workflows.another();
  const [callingId, simpleId] = [await workflows.apply(calling), await other.apply(simple)];
  await Promise.all(Array.from({ length: 100 }, () => workflows.deliver(callingId, { inputs: { url: outside.url } })));
  await until(() => expect(outside.received.length).toBeGreaterThan(1));
  expect(await other.reached(await other.deliver(simpleId), 'succeeded', soonMs)).toMatchObject({ error: null });
});

/** Starts runs and claims them for a worker that is then lost. */
async function loseRuns(workflows: Workflows, id: string, count: number, inputs: Record<string, unknown>) {
  const runs = await Promise.all(
    Array.from({ length: count }, () => workflows.deliver(id, { inputs, isSilent: true })),
  );
  const names = runs.map((run) => [workflows.orgId, run] as const);
  const claimant = { worker: 'dead', leaseMs: 1, limit: count };
  expect(await claimRuns(workflows.database, names, claimant)).toHaveLength(count);
  return runs;
}

test('runs of a lost worker are executed one at a time, and all succeed', async () => {
  let [open, most] = [0, 0];
  await using outside = await startOutside((response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      response.end();
    }, 30);
  });
  await using workflows = await startWorkflows();
  const runs = await loseRuns(workflows, await workflows.apply(calling), 6, { url: outside.url });
  await workflows.openWorker();
  await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
  expect(most).toBe(1);
  expect(await workflows.database.query(stallsOf, [workflows.orgId])).toEqual([{ stalls: 0 }]);
});

test('several workers execute all runs of a lost worker without a pause', async () => {
  // If a run had to wait for the sweep, this would take five seconds longer.
  await expectWithin(4_900, async () => {
    await using workflows = await startWorkflows();
    const runs = await loseRuns(workflows, await workflows.apply(simple), 12, {});
    await Promise.all([1, 2, 3].map(() => workflows.openWorker()));
    const claimed = await until(() => workflows.reached(runs[0]!, 'succeeded'));
    await Promise.all(runs.map((run) => workflows.reached(run, 'succeeded')));
    const last = await workflows.database.query(lastEnded, [workflows.orgId]);
    return Date.parse(last[0]!.at) - Date.parse(claimed.finished_at!);
  });
});

const lastEnded = statement<{ at: string }>(
  'test.last_ended',
  'SELECT max(finished_at) AS at FROM workflow_runs WHERE org_id = $1',
);

const stallsOf = statement<{ stalls: number }>(
  'test.stalls',
  'SELECT max(stalls) AS stalls FROM workflow_runs WHERE org_id = $1',
);
