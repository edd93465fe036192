import { createOrganization } from '@relata/auth';
import { type Database, newId, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { eventsWritten, Messaging, runsReady } from '@relata/messaging';
import { outboundAllowSetting } from '@relata/outbound';
import type { Metrics } from '@relata/runtime';
import { notifySettings, secretsSettings } from '@relata/secrets';
import { createTestDatabase, natsUrl, openTestProcess, until } from '@relata/testing';
import { applyWorkflow, assignWorkflow, createTrigger, listWorkflows } from '@relata/workflows';
import { replayDelivery } from '@relata/workflows/deliveries';
import { cancelRun, findRun, retryRuns, type RunDetail, type RunStatus } from '@relata/workflows/runs';
import { storeDeliveries } from '@relata/workflows/intake';
import { expect } from 'vitest';
import { startWorker } from './app.ts';

/**
 * Time in ms within which a run is found. A message sent before the first worker has created the stream is lost. Its
 * run is found only after the grace period for messages.
 */
export const foundWithinMs = 60_000;

export interface TestWorkerOptions {
  concurrency?: number;
  memoryBytes?: number;
  leaseMs?: number;
  stopGraceMs?: number;
  natsUrl?: string;
  channelUrl?: string;
  /** Value of SECRETS_KEY. */
  secretsKey?: string;
  /** Value of NOTIFY_KEYS. */
  notifyKeys?: string;
  consoleUrl?: string;
  /** Minimum time in ms between two messages about the same cause. */
  quietMs?: number;
  /** Collects the log lines of the worker. */
  logLines?: string[];
}

export interface TestWorker extends AsyncDisposable {
  metrics: Metrics;
}

/** Starts a worker with its own connections, like another process. */
export async function openWorker(databaseUrl: string, options: TestWorkerOptions = {}): Promise<TestWorker> {
  const given = { natsUrl: options.natsUrl, prefix: prefixOf(databaseUrl), logLines: options.logLines };
  const opened = await openTestProcess('workflow-worker', databaseUrl, given);
  const { stack, metrics } = opened;
  startWorker({
    ...opened,
    concurrency: options.concurrency ?? 16,
    ...(options.memoryBytes !== undefined && { memoryBytes: options.memoryBytes }),
    leaseMs: options.leaseMs ?? 30_000,
    stopGraceMs: options.stopGraceMs ?? 1_000,
    outboundAllow: outboundAllowSetting.parse('127.0.0.1/32'),
    secretKeys: secretsSettings.SECRETS_KEY.parse(options.secretsKey),
    notifyKeys: notifySettings.NOTIFY_KEYS.parse(options.notifyKeys),
    consoleUrl: options.consoleUrl,
    ...(options.quietMs !== undefined && { quietMs: options.quietMs }),
    channel: options.channelUrl === undefined ? undefined : { url: options.channelUrl, kind: 'slack' },
  });
  return { metrics, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Creates an organization with a trigger and a worker that executes its runs. */
export async function startWorkflows() {
  const stack = new AsyncDisposableStack();
  const { url, database, owner } = stack.use(await createTestDatabase());
  const messaging = stack.use(new Messaging({ url: natsUrl(), name: 'receiver', prefix: prefixOf(url) }));
  await messaging.connected(60_000);
  return {
    url,
    database,
    owner,
    ...(await addOrganization(database, messaging, 'Acme')),
    /** Notifies workers of runs, as the receiver does. */
    notify: (runs: [orgId: string, id: string][]) => messaging.enqueue(runsReady, { runs }),
    /** Calls `listener` with the ids of organizations for which events were written. */
    onWritten: (listener: (orgIds: readonly string[]) => void) =>
      messaging.subscribe(eventsWritten, ({ orgIds }) => listener(orgIds)),
    another: () => addOrganization(database, messaging, 'Another'),
    openWorker: async (options?: TestWorkerOptions) => stack.use(await openWorker(url, options)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type Workflows = Awaited<ReturnType<typeof startWorkflows>>;

async function addOrganization(database: Database, messaging: Messaging, name: string) {
  const { id: orgId } = await createOrganization(database, name);
  const [context, actor] = [{ database, bus: noopBus }, operatorActor(orgId, 'test')];
  const { trigger } = await createTrigger(context, actor, { name: 'Form' });
  const deliver = (workflowId: string, given: Given = {}) =>
    deliverTo({ database, messaging, orgId, triggerId: trigger.id, workflowId }, given);
  const apply = async (definition: object) => {
    const { applied } = await applyWorkflow(context, actor, definition);
    return applied.id;
  };
  /** Retries a run without notifying a worker: the sweep finds it. */
  const retry = (id: string, options: { isLatest?: boolean } = {}) => retryRuns(context, actor, [id], options);
  /** Replays a delivery with the trigger's current assignment, which is the given workflow. */
  const replay = async (deliveryId: string, workflowId: string) => {
    await assignWorkflow(context, actor, { triggerId: trigger.id, workflowId, inputs: {} });
    return replayDelivery(context, actor, deliveryId);
  };
  const cancel = (id: string) => cancelRun(context, actor, id);
  const runOf = async (id: string): Promise<RunDetail> => (await findRun(database, orgId, id))!;
  const reached = (id: string, status: RunStatus, timeoutMs = foundWithinMs) =>
    until(async () => {
      const run = await runOf(id);
      expect(run).toMatchObject({ status });
      return run;
    }, timeoutMs);
  /** Starts a run of a definition and waits until it reaches the status. */
  const run = async (definition: object, { status = 'succeeded', ...given }: Given & { status?: RunStatus } = {}) =>
    reached(await deliver(await apply(definition), given), status);
  return { orgId, triggerId: trigger.id, apply, retry, replay, cancel, deliver, runOf, reached, run };
}

/** Returns the prefix of a test's NATS subjects. Tests share a server, but must not receive each other's messages. */
function prefixOf(databaseUrl: string): string {
  return new URL(databaseUrl).pathname.slice(1);
}

interface Given {
  inputs?: Record<string, unknown>;
  payload?: unknown;
  headers?: Record<string, string>;
  /** True if no worker is notified of the run. */
  isSilent?: boolean;
}

interface AssignedTrigger {
  database: Database;
  messaging: Messaging;
  orgId: string;
  triggerId: string;
  workflowId: string;
}

/** Stores a delivery and its run as the receiver does, and returns the run's id. */
async function deliverTo(
  { database, messaging, orgId, triggerId, workflowId }: AssignedTrigger,
  { inputs = {}, payload = {}, headers = {}, isSilent = false }: Given,
): Promise<string> {
  const workflows = await listWorkflows(database, orgId);
  const { version, max_running: maxRunning } = workflows.find(({ id }) => id === workflowId)!;
  const run = { id: newId(), workflowId, version, isLimited: maxRunning !== null, inputs: JSON.stringify(inputs) };
  const body = Buffer.from(JSON.stringify(payload));
  const delivery = { orgId, id: newId(), triggerId, keyHash: undefined, body, headers, skipped: [], runs: [run] };
  await storeDeliveries(database, [delivery]);
  if (isSilent) await database.query(makeDue, [orgId, run.id]);
  else messaging.enqueue(runsReady, { runs: [[orgId, run.id]] });
  return run.id;
}

/** Makes a run due, so that the sweep finds it at once instead of after the grace period for messages. */
const makeDue = statement<never>(
  'test.make_due',
  'UPDATE workflow_runs SET due_at = now() WHERE org_id = $1 AND id = $2',
);
