import { createApiKey, createOrganization, generateCredential, hashCredential } from '@relata/auth';
import { type Database, openDatabase, statement } from '@relata/db';
import { Draining, serve } from '@relata/http';
import { Messaging } from '@relata/messaging';
import { createLog, createMetrics, type Metrics, type RateLimit } from '@relata/runtime';
import { createTestDatabase, natsUrl, type TestDatabase } from '@relata/testing';
import { storeDefinition, upsertAssignment, insertTrigger, type InputMapping, type Trigger } from '@relata/workflows';
import { createIngestApp } from './app.ts';

export interface ReceiverOptions {
  rateLimit?: RateLimit;
  natsUrl?: string;
  logLines?: string[];
}

export interface Receiver extends AsyncDisposable {
  url: string;
  metrics: Metrics;
  messaging: Messaging;
}

/** One receiver process, as far as it can be told from outside. */
export async function openReceiver(databaseUrl: string, options: ReceiverOptions = {}): Promise<Receiver> {
  const stack = new AsyncDisposableStack();
  const name = 'webhook-ingest';
  const database: Database = stack.use(openDatabase({ url: databaseUrl, name, connectTimeoutMs: 1_000 }));
  const messaging = stack.use(new Messaging({ url: options.natsUrl ?? natsUrl(), name }));
  const { logLines, rateLimit = null } = options;
  const destination = { write: (line: string) => void logLines?.push(line) };
  const log = createLog({ name, level: logLines ? 'info' : 'silent', destination });
  const draining = new Draining();
  const metrics = createMetrics(name);
  const app = createIngestApp({ database, messaging, log, metrics, stack, draining, rateLimit });
  const { url } = stack.use(
    await serve(app, { host: '127.0.0.1', port: 0, draining, drainMs: 1, errorManner: 'webhook' }),
  );
  if (!options.natsUrl) await messaging.connected(2_000);
  return { url, metrics, messaging, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

interface ReceiverAnswer {
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

/** Posts to a trigger, as another system does. */
export async function post(url: string, triggerId: string, { secret, body, headers, method = 'POST' }: Post) {
  const response = await fetch(`${url}/webhooks/trigger/${triggerId}`, {
    method,
    headers: { 'content-type': 'application/json', ...(secret && { 'x-webhook-secret': secret }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text), headers: response.headers } as ReceiverAnswer;
}

/** A receiver on a database of its own, with an organization to post to. */
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
    createUniqueTrigger: (ofOrgId = orgId) => createUniqueTrigger(db.database, ofOrgId),
    createSharedTrigger: () => createSharedTrigger(db.database, orgId),
    assign: (triggerId: string, definition: TestDefinition, inputs: InputMapping, filter?: string) =>
      assign(db.database, orgId, triggerId, definition, inputs, filter),
    deliveries: () => db.database.query(storedDeliveries, [orgId]),
    runs: () => db.database.query(startedRuns, [orgId]),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The same with a trigger to post to. */
export async function startTriggered() {
  const receiver = await startReceiver();
  const { trigger, secret } = await receiver.createUniqueTrigger();
  return { ...receiver, trigger: { id: trigger.id, secret } };
}

async function createUniqueTrigger(database: Database, orgId: string): Promise<{ trigger: Trigger; secret: string }> {
  const secret = generateCredential('trigger');
  const guard = { secret: { hash: hashCredential(secret), lastFour: secret.slice(-4) } };
  return { secret, trigger: await database.transaction((tx) => insertTrigger(tx, orgId, { name: 'Form', ...guard })) };
}

async function createSharedTrigger(database: Database, orgId: string) {
  const made = { name: 'webhooks', kind: 'secret', scopes: ['webhook'] } as const;
  const { id: keyId, key: secret } = await createApiKey(database, orgId, made);
  const trigger = await database.transaction((tx) => insertTrigger(tx, orgId, { name: 'Shared', keyId }));
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
  const { id } = await database.transaction((tx) => storeDefinition(tx, orgId, { steps: [aStep], ...definition }));
  await upsertAssignment(database, orgId, { triggerId, workflowId: id, inputs, filter });
  return id;
}

interface StoredDelivery {
  id: string;
  trigger_id: string;
  body: Buffer;
  headers: Record<string, string>;
  skipped: unknown;
}

const storedDeliveries = statement<StoredDelivery>(
  'test.deliveries',
  'SELECT id, trigger_id, body, headers, skipped FROM webhook_deliveries WHERE org_id = $1 ORDER BY id',
);

interface StartedRun {
  id: string;
  delivery_id: string;
  inputs: Record<string, unknown>;
  version: number;
  status: string;
}

const startedRuns = statement<StartedRun>(
  'test.runs',
  'SELECT id, delivery_id, inputs, version, status FROM workflow_runs WHERE org_id = $1 ORDER BY id',
);
