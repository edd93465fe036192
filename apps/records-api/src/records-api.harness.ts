import { createApiKey, createOrganization } from '@relata/auth';
import type { Db } from '@relata/db';
import { ShutdownState, type FoundFiles, serve } from '@relata/http';
import type { Metrics, RateLimit } from '@relata/runtime';
import { type Scope, scopeNames } from '@relata/schemas';
import { measureBackends } from '@relata/service/backends';
import {
  type ApiClient,
  apiClient,
  createTestDatabase,
  type ExampleIds,
  insertExamples,
  openTestProcess,
  type TestDatabase,
} from '@relata/testing';
import { createRecordsApp, type RecordsApp } from './app.ts';

/** An organization with one record of each kind, and a key with all scopes. */
interface TestOrganization {
  orgId: string;
  key: string;
  keyId: string;
  client: ApiClient;
  ids: ExampleIds;
}

export interface Replica extends AsyncDisposable {
  url: string;
  draining: ShutdownState;
  metrics: Metrics;
}

export interface TestApi extends AsyncDisposable {
  url: string;
  db: TestDatabase;
  tenant: TestOrganization;
  other: TestOrganization;
  /** Creates a key of the first organization with only these scopes. */
  keyWith(scopes: readonly Scope[]): Promise<string>;
  /** Starts a second replica on the same database. */
  startReplica(options?: ReplicaOptions): Promise<Replica>;
}

interface ReplicaOptions {
  rateLimit?: RateLimit;
  idempotencyHours?: number;
  trashDays?: number;
  natsUrl?: string;
  drainMs?: number;
  readerTimeoutMs?: number;
  proxies?: number;
  eventStreams?: RecordsApp['eventStreams'];
  batchMs?: number;
  indexesEveryMs?: number;
  /** Pages of the documentation; none by default. */
  docs?: FoundFiles;
  /** Collects the log lines of the replica. */
  logLines?: string[];
}

interface ApiOptions extends ReplicaOptions {
  /** Starts the API on a database; by default within this process. */
  start?: (databaseUrl: string) => Promise<{ url: string } & AsyncDisposable>;
}

/** Starts the API as an HTTP server with its own database. */
export async function startTestApi({ start, ...options }: ApiOptions = {}): Promise<TestApi> {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await createTestDatabase());
  const startReplica = (more: ReplicaOptions = {}) => openReplica(db.url, { ...options, ...more });
  const { url } = stack.use(await (start ? start(db.url) : startReplica()));
  const [tenant, other] = [
    await createTestOrganization(db.database, url, 'Acme'),
    await createTestOrganization(db.database, url, 'Globex'),
  ];
  const keyWith = async (scopes: readonly Scope[]) =>
    (await createApiKey(db.database, tenant.orgId, { name: 'test', kind: 'secret', scopes })).key;
  return { url, db, tenant, other, keyWith, startReplica, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export async function openReplica(
  databaseUrl: string,
  {
    rateLimit = null,
    idempotencyHours = 24,
    trashDays = 30,
    drainMs = 1,
    readerTimeoutMs,
    proxies = 0,
    eventStreams,
    batchMs,
    indexesEveryMs,
    docs = new Map(),
    ...options
  }: ReplicaOptions,
): Promise<Replica> {
  const opened = await openTestProcess('records-api', databaseUrl, options);
  const { stack, metrics } = opened;
  const draining = new ShutdownState();
  measureBackends(opened, metrics);
  const app = createRecordsApp({
    ...opened,
    draining,
    docs,
    rateLimit,
    idempotencyHours,
    trashDays,
    proxies,
    eventStreams,
    batchMs,
    indexesEveryMs,
    checksOutputs: true,
  });
  const serving = { host: '127.0.0.1', port: 0, draining, drainMs, ...(readerTimeoutMs && { readerTimeoutMs }) };
  const { url } = stack.use(await serve(app, serving));
  return { url, draining, metrics, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function createTestOrganization(db: Db, url: string, name: string): Promise<TestOrganization> {
  const { id: orgId } = await createOrganization(db, name);
  const scopes = scopeNames.filter((scope) => scope !== 'webhook');
  const { key, id: keyId } = await createApiKey(db, orgId, { name: 'full', kind: 'secret', scopes });
  return { orgId, key, keyId, client: apiClient(url, key), ids: await insertExamples(db, orgId) };
}
