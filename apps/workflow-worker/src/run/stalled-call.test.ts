import { statement } from '@relata/db';
import { createOutbound, DnsLookups, outboundAllowSetting } from '@relata/outbound';
import { createLog, createMetrics, Slots } from '@relata/runtime';
import { until } from '@relata/testing';
import { claimRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { RunSlot } from '../worker/run-slot.ts';
import { measureWorker } from '../worker/worker.metrics.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';
import { createExecutionContext } from './execution-context.ts';
import { executeRun } from './run-execution.ts';

const leaseMs = 60_000;
const definition = {
  name: 'calling',
  inputs: { url: { type: 'string' } },
  steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ inputs.url }}' }, timeout: '60s' }],
};

const expireLeases = statement<never>(
  'test.expire_leases',
  'UPDATE workflow_runs SET due_at = now() WHERE org_id = $1',
);
const stallsOf = statement<{ stalls: number }>('test.stalls', 'SELECT stalls FROM workflow_runs WHERE org_id = $1');

/**
 * Starts a run that makes a call, and returns functions that execute the run or lose its worker. `respond` responds to
 * the call.
 */
async function startCalling(respond: Parameters<typeof startOutside>[0]) {
  const stack = new AsyncDisposableStack();
  const outside = stack.use(await startOutside(respond));
  const workflows = stack.use(await startWorkflows());
  const { database, orgId } = workflows;
  const log = stack.use(createLog({ name: 'test', level: 'silent' }));
  const allow = outboundAllowSetting.parse('127.0.0.1/32');
  const outbound = stack.use(createOutbound({ allow, userAgent: 'test', lookups: new DnsLookups() }));
  const metrics = measureWorker(createMetrics('test'));
  let progress = 0;
  const options = { database, log, leaseMs, concurrency: 4, metrics, reach: { outbound } as never };
  const context = createExecutionContext(options, () => void progress++);
  const id = await workflows.deliver(await workflows.apply(definition), {
    inputs: { url: outside.url },
    isSilent: true,
  });
  const slots = { runs: new Slots(4), calls: new Slots(4) };

  /** Claims the run and executes it until `signal` is aborted, without releasing the lease. */
  const execute = async (signal: AbortSignal) => {
    progress = 0;
    const [run] = await claimRuns(database, [[orgId, id]], { worker: 'test', leaseMs, limit: 1 });
    const slot = new RunSlot(slots, orgId);
    slot.take();
    const ending = await executeRun(context, run!, slot, signal);
    slot.free();
    await database.query(expireLeases, [orgId]);
    return { ending, progress };
  };
  /**
   * Executes the run with a worker that is lost while it waits for the response. Returns how often the worker reported
   * progress.
   */
  const lose = async () => {
    const ending = new AbortController();
    const count = outside.received.length;
    const executed = execute(ending.signal);
    await until(() => expect(outside.received.length).toBeGreaterThan(count));
    ending.abort();
    expect(await executed).toMatchObject({ ending: { kind: 'interrupted' } });
    return (await executed).progress;
  };
  const stalls = async () => (await database.query(stallsOf, [orgId]))[0]!.stalls;
  return { outside, lose, execute, stalls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a run whose call stops ten workers in a row fails; starting the call does not count as progress once the run has stalled again', async () => {
  await using calling = await startCalling(() => undefined);
  const lost = [];
  for (let i = 0; i < 10; i++) lost.push({ progress: await calling.lose(), stalls: await calling.stalls() });
  expect(lost).toEqual(Array.from({ length: 10 }, (_, stalls) => ({ progress: stalls <= 1 ? 1 : 0, stalls })));
  const { ending } = await calling.execute(AbortSignal.timeout(30_000));
  expect(ending).toMatchObject({ kind: 'ended', status: 'failed', error: { code: 'worker_lost' } });
  expect(calling.outside.received).toHaveLength(10);
});

test('a run that stalled in a call counts as progressing again once the call is answered', async () => {
  await using calling = await startCalling((response, _received, count) => {
    if (count > 3) response.end('{}');
  });
  for (let i = 0; i < 3; i++) await calling.lose();
  expect(await calling.stalls()).toBe(2);
  expect(await calling.execute(AbortSignal.timeout(30_000))).toMatchObject({ ending: { status: 'succeeded' } });
  expect(await calling.stalls()).toBe(0);
});
