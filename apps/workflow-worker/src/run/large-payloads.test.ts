import { type Database, statement } from '@relata/db';
import { createLog, createMetrics, Shares, Slots, Turns } from '@relata/runtime';
import { claimRuns } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { RunSlot } from '../worker/run-slot.ts';
import { measureWorker } from '../worker/worker.metrics.ts';
import { startWorkflows, type Workflows } from '../workflow-worker.harness.ts';
import { createExecutionContext } from './execution-context.ts';
import { executeRun } from './run-execution.ts';
import { estimateHeapBytes } from './heap-bytes.ts';
import type { PostponedRuns } from './run-memory.ts';

const definition = {
  name: 'large',
  steps: [{ id: 'log', use: 'activity.create', with: { content: '${{ payload.title }}' } }],
};

/** A payload whose body has 250 KB, and whose value takes more than 1 MB of memory. */
const payload = {
  title: 'Order',
  items: Array.from({ length: 100 }, () => Array.from({ length: 200 }, (_, id) => ({ id: 10_000 + id }))),
};

/** Maximum numbers of large bodies that one organization has in memory at the same time. */
interface Most {
  /** Bodies that are loaded, but for which no memory is reserved yet. */
  unreserved: number;
  parsed: number;
}

interface Memory {
  memoryBytes: number;
  takenBytes?: number;
  postponed?: PostponedRuns;
}

const makeAllDue = statement<never>('test.make_all_due', 'UPDATE workflow_runs SET due_at = now() WHERE org_id = $1');

/** Executes runs of several organizations concurrently, as a worker does. Counts their large bodies in memory. */
async function execute(
  workflows: Workflows,
  given: (readonly [orgId: string, id: string])[],
  { memoryBytes, takenBytes = 0, postponed = new Map() }: Memory,
) {
  const { database } = workflows;
  const most: Most = { unreserved: 0, parsed: 0 };
  let loaded = 0;
  const unreserved = new Map<string, number>();
  const parsed = new Map<string, number>();
  const change = (name: keyof Most, counts: Map<string, number>, orgId: string, by: number) => {
    counts.set(orgId, (counts.get(orgId) ?? 0) + by);
    most[name] = Math.max(most[name], counts.get(orgId)!);
  };
  const watched: Database = {
    ...database,
    of: (orgId) => ({
      ...database.of(orgId),
      query: async <Row>(...query: Parameters<typeof database.query<Row>>) => {
        const rows = await database.of(orgId).query(...query);
        const [row] = rows as { body?: Buffer | null }[];
        if (row?.body && row.body.length > 100_000) {
          loaded++;
          change('unreserved', unreserved, orgId, 1);
        }
        return rows;
      },
    }),
  };
  class WatchedShares extends Shares {
    override take([orgId]: [string], amount: number): boolean {
      if (amount > 100_000) change('unreserved', unreserved, orgId, -1);
      return super.take([orgId], amount);
    }
  }
  class WatchedTurns extends Turns {
    override async yieldToLoop([orgId]: [string]): Promise<void> {
      change('parsed', parsed, orgId, 1);
      await super.yieldToLoop([orgId]);
      change('parsed', parsed, orgId, -1);
    }
  }
  using log = createLog({ name: 'test', level: 'silent' });
  const options = { database: watched, log, leaseMs: 60_000, concurrency: 16, memoryBytes };
  const metrics = measureWorker(createMetrics('test'));
  const context = {
    ...createExecutionContext({ ...options, metrics, reach: {} as never }, () => undefined),
    memoryShares: new WatchedShares(memoryBytes),
    turns: new WatchedTurns(),
    postponed,
  };
  Shares.prototype.take.call(context.memoryShares, ['another'], takenBytes);
  const runs = await claimRuns(database, given, { worker: 'test', leaseMs: 60_000, limit: given.length });
  const slots = { runs: new Slots(64), calls: new Slots(64) };
  const signal = AbortSignal.timeout(60_000);
  const endings = await Promise.all(
    runs.map(async (run) => {
      const slot = new RunSlot(slots, run.org_id);
      slot.take();
      return executeRun(context, run, slot, signal);
    }),
  );
  return { endings, most, loaded };
}

test('an organization loads and parses one large body at a time, and parses it only after reserving memory', async () => {
  await using workflows = await startWorkflows();
  const runs: [string, string][] = [];
  for (const organization of [workflows, await workflows.another()]) {
    const id = await organization.apply(definition);
    for (let i = 0; i < 8; i++)
      runs.push([organization.orgId, await organization.deliver(id, { payload, isSilent: true })]);
  }
  const { endings, most } = await execute(workflows, runs, { memoryBytes: 256_000_000 });
  expect(endings).toEqual(runs.map(() => ({ kind: 'ended', status: 'succeeded' })));
  expect(most).toEqual({ unreserved: 1, parsed: 1 });
});

test('a large body is not parsed while there is no memory for its value', async () => {
  await using workflows = await startWorkflows();
  const run = await workflows.deliver(await workflows.apply(definition), { payload, isSilent: true });
  const { endings, most } = await execute(workflows, [[workflows.orgId, run]], {
    memoryBytes: 16_000_000,
    takenBytes: 15_900_000,
  });
  expect(endings).toMatchObject([{ kind: 'waiting' }]);
  expect(most.parsed).toBe(0);
});

test('a large body of a postponed run is not loaded again until there is room for it', async () => {
  await using workflows = await startWorkflows();
  const run = await workflows.deliver(await workflows.apply(definition), { payload, isSilent: true });
  const bytes = estimateHeapBytes(JSON.stringify(payload));
  const postponed = new Map<string, number>();
  const loads: number[] = [];
  // The organization holds no memory yet, so the run may take all free memory.
  for (const freeBytes of [0.9 * bytes, 0.9 * bytes, 1.1 * bytes]) {
    const memory = { memoryBytes: 16_000_000, takenBytes: Math.ceil(16_000_000 - freeBytes), postponed };
    const { endings, loaded } = await execute(workflows, [[workflows.orgId, run]], memory);
    expect(endings).toMatchObject([{ kind: freeBytes < bytes ? 'waiting' : 'ended' }]);
    loads.push(loaded);
    await workflows.database.query(makeAllDue, [workflows.orgId]);
  }
  expect(loads).toEqual([1, 0, 1]);
});

test('a claim does not load large inputs; the run loads them unchanged', async () => {
  await using workflows = await startWorkflows();
  const id = await workflows.apply({
    name: 'large-inputs',
    inputs: { order: { type: 'object' } },
    steps: [
      { id: 'log', use: 'activity.create', with: { content: '${{ inputs.order.title }} ${{ inputs.order.size }}' } },
    ],
  });
  const order = { ...payload, size: 1e20 };
  const run = await workflows.deliver(id, { inputs: { order }, isSilent: true });
  const claimant = { worker: 'test', leaseMs: 0, limit: 1 };
  expect(await claimRuns(workflows.database, [[workflows.orgId, run]], claimant)).toMatchObject([{ inputs: null }]);
  await workflows.database.query(makeAllDue, [workflows.orgId]);
  const { endings } = await execute(workflows, [[workflows.orgId, run]], { memoryBytes: 256_000_000 });
  expect(endings).toEqual([{ kind: 'ended', status: 'succeeded' }]);
  const { inputs, steps } = await workflows.runOf(run);
  expect(inputs).toEqual({ order });
  expect(steps).toMatchObject([{ input: { content: 'Order 100000000000000000000' } }]);
});

const first = { id: 'first', use: 'account.create', with: { set: { account_name: 'First' } } };
const looping = {
  id: 'each',
  use: 'for_each',
  with: { items: '${{ payload.items }}' },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Item' } }],
};

test.each([
  // The body takes 60 % or 45 % of the memory for all runs. The items of the loop take as much again.
  { steps: [first, ...definition.steps], share: 0.6, step: 'first' },
  { steps: [looping], share: 0.45, step: 'each' },
])(
  'a run that needs more memory than its organization can have fails at $step without any effect, instead of waiting forever',
  async ({ steps, share, step }) => {
    await using workflows = await startWorkflows();
    const id = await workflows.apply({ name: 'two', steps });
    const run = await workflows.deliver(id, { payload, isSilent: true });
    const memoryBytes = estimateHeapBytes(JSON.stringify(payload)) / share;
    const { endings } = await execute(workflows, [[workflows.orgId, run]], { memoryBytes });
    expect(endings).toMatchObject([{ kind: 'ended', status: 'failed', error: { code: 'run_too_large', step } }]);
    const { steps: done } = await workflows.runOf(run);
    expect(done.filter(({ status }) => status === 'succeeded')).toEqual([]);
  },
);

test('a run whose body needs more than the memory for all runs fails, instead of waiting forever', async () => {
  await using workflows = await startWorkflows();
  const run = await workflows.deliver(await workflows.apply(definition), { payload, isSilent: true });
  const { endings, most } = await execute(workflows, [[workflows.orgId, run]], { memoryBytes: 1_000_000 });
  expect(endings).toMatchObject([{ kind: 'ended', status: 'failed' }]);
  expect(await workflows.runOf(run)).toMatchObject({
    status: 'failed',
    error: { code: 'run_too_large', step: 'log' },
  });
  expect(most.parsed).toBe(0);
});
