import { createApiKey, createOrganization } from '@relata/auth';
import { type Database, statement } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { ShutdownState, serve } from '@relata/http';
import type { Messaging } from '@relata/messaging';
import type { Metrics, RateLimit } from '@relata/runtime';
import type { EncryptionKeys } from '@relata/secrets';
import { createTestDatabase, openTestProcess, type TestDatabase, type TestProcessOptions } from '@relata/testing';
import { applyWorkflow, assignWorkflow, createTrigger, type InputMapping } from '@relata/workflows';
import { createIngestApp } from './app.ts';

export interface ReceiverOptions extends TestProcessOptions {
  rateLimit?: RateLimit;
  signingKeys?: EncryptionKeys;
  /** Number of proxies in front of the receiver. */
  proxies?: number;
  signedBytesMax?: number;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  metrics: Metrics;
  messaging: Messaging;
}

/** Starts a receiver with its own connections, like a separate process. */
export async function openReceiver(databaseUrl: string, options: ReceiverOptions = {}): Promise<Receiver> {
  const opened = await openTestProcess('webhook-ingest', databaseUrl, options);
  const { stack, messaging, metrics } = opened;
  const draining = new ShutdownState();
  const { rateLimit = null, signingKeys, proxies = 0, signedBytesMax = 5_242_880 } = options;
  const app = createIngestApp({ ...opened, draining, rateLimit, signingKeys, proxies, signedBytesMax });
  const { url } = stack.use(
    await serve(app, {
      host: '127.0.0.1',
      port: 0,
      draining,
      drainMs: 1,
      errorFormat: 'webhook',
      connectionsTakeTurns: true,
    }),
  );
  return { url, metrics, messaging, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface ReceiverResponse {
  status: number;
  body: unknown;
  headers: Headers;
}

export interface Post {
  secret?: string | null;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  method?: string;
}

/** Posts to a trigger, as a sender does. */
export async function post(url: string, triggerId: string, { secret, body, headers, method = 'POST' }: Post) {
  const response = await fetch(`${url}/webhooks/trigger/${triggerId}`, {
    method,
    headers: { 'content-type': 'application/json', ...(secret && { 'x-webhook-secret': secret }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text), headers: response.headers } as ReceiverResponse;
}

/** Starts a receiver with its own database, and creates an organization. */
export async function startReceiver(options: ReceiverOptions = {}) {
  const stack = new AsyncDisposableStack();
  const db: TestDatabase = stack.use(await createTestDatabase());
  const receiver = stack.use(await openReceiver(db.url, options));
  const { id: orgId } = await createOrganization(db.database, 'Acme');
  return {
    url: receiver.url,
    receiver,
    db,
    orgId,
    createUniqueTrigger: (ofOrgId = orgId, repeatKey?: string) => createUniqueTrigger(db.database, ofOrgId, repeatKey),
    createSharedTrigger: () => createSharedTrigger(db.database, orgId),
    assign: (triggerId: string, definition: TestDefinition, inputs: InputMapping, filter?: string) =>
      assign(db.database, orgId, triggerId, definition, inputs, filter),
    deliveries: () => db.database.query(storedDeliveries, [orgId]),
    runs: () => db.database.query(startedRuns, [orgId]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Like startReceiver, and also creates a trigger. */
export async function startTriggered() {
  const receiver = await startReceiver();
  const { trigger, secret } = await receiver.createUniqueTrigger();
  return { ...receiver, trigger: { id: trigger.id, secret } };
}

export async function createUniqueTrigger(database: Database, orgId: string, repeatKey?: string) {
  const made = { name: 'Form', repeatKey };
  const { trigger, secret } = await createTrigger({ database }, operatorActor(orgId, 'test'), made);
  return { trigger, secret: secret! };
}

async function createSharedTrigger(database: Database, orgId: string) {
  const made = { name: 'webhooks', kind: 'secret', scopes: ['webhook'] } as const;
  const { id: keyId, key: secret } = await createApiKey(database, orgId, made);
  const { trigger } = await createTrigger({ database }, operatorActor(orgId, 'test'), { name: 'Shared', keyId });
  return { secret, keyId, trigger };
}

export interface TestDefinition {
  name: string;
  inputs: Record<string, unknown>;
  steps?: unknown[];
  max_running?: number;
}

const aStep = { id: 'log', use: 'activity.create', with: { content: 'A form was sent.' } };

async function assign(
  database: Database,
  orgId: string,
  triggerId: string,
  definition: TestDefinition,
  inputs: InputMapping,
  filter?: string,
) {
  const [context, actor] = [{ database, bus: noopBus }, operatorActor(orgId, 'test')];
  const { applied } = await applyWorkflow(context, actor, { steps: [aStep], ...definition });
  await assignWorkflow(context, actor, { triggerId, workflowId: applied.id, inputs, filter });
  return applied.id;
}

interface StoredDelivery {
  id: string;
  trigger_id: string;
  body: Buffer;
  headers: Record<string, string>;
  skipped: unknown;
  repeat_problem: string | null;
}

const storedDeliveries = statement<StoredDelivery>(
  'test.deliveries',
  'SELECT id, trigger_id, body, headers, skipped, repeat_problem FROM webhook_deliveries WHERE org_id = $1 ORDER BY id',
);

interface StartedRun {
  id: string;
  delivery_id: string;
  workflow_id: string;
  inputs: Record<string, unknown>;
  version: number;
  status: string;
}

const startedRuns = statement<StartedRun>(
  'test.runs',
  'SELECT id, delivery_id, workflow_id, inputs, version, status FROM workflow_runs WHERE org_id = $1 ORDER BY id',
);
