import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createApiKey, createOrganization } from '@relata/auth';
import type { Channel } from '@relata/channel';
import { ShutdownState, serve } from '@relata/http';
import { openKnowledge } from '@relata/knowledge';
import type { Metrics } from '@relata/runtime';
import type { Scope } from '@relata/schemas';
import { apiClient, type ApiClient, createTestDatabase, openTestProcess, type TestDatabase } from '@relata/testing';
import { type ChatApp, createChatApp } from './app.ts';

/** Base URL of the test pages. */
export const pagesUrl = 'https://www.acme.example/docs/';

export const siteOrigin = 'https://www.acme.example';

/** Short pages, each about one topic. */
const pages: Record<string, string> = {
  'pricing.md':
    '# Pricing\n\nThe Team plan costs 29 euros per seat and month. The Starter plan is free for two seats.\n',
  'security.md': '# Security\n\nAll data is encrypted at rest with AES-256, and in transit with TLS 1.3.\n',
  'integrations.md': '# Integrations\n\nAcme Flow connects to Slack, HubSpot and Salesforce without code.\n',
};

export type GatewayOptions = Partial<
  Pick<
    ChatApp,
    | 'channel'
    | 'channelDeadlineMs'
    | 'dailyTokens'
    | 'dailyTokensPerIp'
    | 'deadlineMs'
    | 'instructions'
    | 'knowledge'
    | 'limits'
    | 'proxies'
    | 'streams'
    | 'stopping'
    | 'widget'
  >
> & {
  /** URL of the model, as in `OPENAI_BASE_URL`; without it the built-in model answers. */
  modelUrl?: string;
  firstTokenMs?: number;
  stallMs?: number;
  outputTokens?: number;
  drainMs?: number;
};

export interface TestGateway extends AsyncDisposable {
  url: string;
  metrics: Metrics;
  logLines: string[];
}

interface TestOrganization {
  orgId: string;
  key: string;
  client: ApiClient;
}

export interface TestChat extends TestGateway {
  db: TestDatabase;
  tenant: TestOrganization;
  other: TestOrganization;
  keyWith(scopes: readonly Scope[]): Promise<string>;
  /** Creates a key for web pages of these origins. */
  publishableKey(origins?: readonly string[], orgId?: string): Promise<string>;
  /** Starts a second gateway on the same database, as another process would. */
  startReplica(options?: GatewayOptions): Promise<TestGateway>;
}

/** Starts the gateway as an HTTP server with its own database. */
export async function startTestChat(options: GatewayOptions = {}): Promise<TestChat> {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await createTestDatabase());
  const dir = await writePages();
  stack.defer(() => rm(dir, { recursive: true }));
  const startReplica = (more: GatewayOptions = {}) => openGateway(db.url, dir, { ...options, ...more });
  const gateway = stack.use(await startReplica());
  const tenant = await createTestOrganization(db, gateway.url, 'Acme');
  const create = (orgId: string, made: Parameters<typeof createApiKey>[2]) =>
    createApiKey(db.database, orgId, made).then(({ key }) => key);
  return {
    ...gateway,
    db,
    tenant,
    other: await createTestOrganization(db, gateway.url, 'Globex'),
    keyWith: (scopes) => create(tenant.orgId, { name: 'test', kind: 'secret', scopes }),
    publishableKey: (origins = [siteOrigin], orgId = tenant.orgId) =>
      create(orgId, { name: 'site', kind: 'publishable', scopes: ['chat'], origins }),
    startReplica,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function writePages(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'relata-pages-'));
  for (const [name, text] of Object.entries(pages)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

async function createTestOrganization(
  { database }: TestDatabase,
  url: string,
  name: string,
): Promise<TestOrganization> {
  const { id: orgId } = await createOrganization(database, name);
  const { key } = await createApiKey(database, orgId, { name: 'chat', kind: 'secret', scopes: ['chat'] });
  return { orgId, key, client: apiClient(url, key) };
}

async function openGateway(databaseUrl: string, dir: string, options: GatewayOptions): Promise<TestGateway> {
  const logLines: string[] = [];
  const prefix = new URL(databaseUrl).pathname.replaceAll(/\W/g, '');
  const opened = await openTestProcess('chat-gateway', databaseUrl, { prefix, logLines });
  const { stack, metrics } = opened;
  const draining = new ShutdownState();
  const app = createChatApp({
    ...defaults,
    knowledge: await openKnowledge({ dir, baseUrl: pagesUrl }),
    ...options,
    ...opened,
    draining,
    model: modelOf(options),
  });
  const { url } = stack.use(await serve(app, { host: '127.0.0.1', port: 0, draining, drainMs: options.drainMs ?? 1 }));
  return { url, metrics, logLines, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/**
 * Options of a test gateway. The time limits are long, since a busy machine may stall for seconds. Only tests of a time
 * limit set a shorter limit.
 */
const defaults = {
  checksOutputs: true,
  channel: undefined as Channel | undefined,
  channelDeadlineMs: 60_000,
  widget: undefined,
  dailyTokens: null,
  dailyTokensPerIp: null,
  instructions: undefined,
  deadlineMs: 250_000,
  limits: { chat: null, demo: null },
  streams: { perIp: null, most: 1_000 },
  proxies: 1,
  stopping: new AbortController().signal,
};

function modelOf({ modelUrl, firstTokenMs = 150_000, stallMs = 150_000, outputTokens = 500 }: GatewayOptions) {
  const configured =
    modelUrl === undefined ? undefined : { apiKey: 'sk-test-secret', baseUrl: modelUrl, model: 'test-model' };
  return { configured, firstTokenMs, stallMs, outputTokens };
}

/** Returns a chat request as the SDK's transport sends it. Texts of the visitor and the assistant alternate. */
export function asking(...texts: string[]) {
  const messages = texts.map((text, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', text }],
  }));
  return { id: 'chat-1', trigger: 'submit-message', messages };
}

/** Parses the parts of a complete stream. */
export function streamedParts(text: string): { type: string; [field: string]: unknown }[] {
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: '));
  return frames
    .map((frame) => frame.slice('data: '.length))
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data));
}

/** Returns the text that a visitor reads. */
export function textOfParts(parts: ReturnType<typeof streamedParts>): string {
  return parts
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta as string)
    .join('');
}
