import { chatOperations, type BaseSpec, recordsOperations } from '@relata/schemas';
import { consoleOperations } from '@relata/schemas/console';
import type { AppName } from '../services.ts';

/** A part of a JSON schema, as zod writes it. */
export interface JsonSchema {
  type?: string | string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  minimum?: number;
  maximum?: number;
}

export interface Called {
  id: string;
  app: FuzzedApp;
  method: string;
  path: string;
  query?: JsonSchema | undefined;
  body?: JsonSchema | undefined;
  example?: unknown;
  /** True for operations that list or summarize records. */
  isList: boolean;
}

const schemaOf = (schema: BaseSpec['describedBody']) =>
  schema?.toJSONSchema({ io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema | undefined;

const calledOf = (app: FuzzedApp, operations: Readonly<Record<string, BaseSpec>>): Called[] =>
  Object.values(operations).map(({ id, method, path, query, body, describedBody, example }) => ({
    id,
    app,
    method: method.toUpperCase(),
    path,
    query: schemaOf(query),
    body: schemaOf(describedBody ?? body),
    example,
    isList: method === 'get' && /^\/v1\/records\/\w+(\/summary)?$/.test(path),
  }));

/** Paths that belong to no operation: pages, files and probes. */
const pages = {
  'records-api': [
    '/',
    '/docs',
    '/docs/errors',
    '/docs/api.md',
    '/llms.txt',
    '/openapi.json',
    '/health/live',
    '/health/ready',
    '/v1/records/none',
  ],
  'chat-gateway': ['/v1/genie/widget.js', '/v1/genie/LICENSES.txt', '/v1/genie/none', '/health/ready'],
  console: ['/console', '/console/', '/console/enter', '/console/assets/none.js', '/console/api/none', '/console/a/b'],
  'webhook-ingest': ['/webhooks/', '/webhooks/trigger/', '/health/live'],
} as const satisfies Partial<Record<AppName, readonly string[]>>;

export type FuzzedApp = keyof typeof pages;

const pagesOf = (app: FuzzedApp): Called[] =>
  pages[app].map((path) => ({ id: path, app, method: 'GET', path, isList: false }));

const receiveDelivery: Called = {
  id: 'receiveDelivery',
  app: 'webhook-ingest',
  method: 'POST',
  path: '/webhooks/trigger/{trigger}',
  body: { type: 'object', properties: { email: { type: 'string', format: 'email' } } },
  example: { email: 'ada@acme.example' },
  isList: false,
};

export const fuzzedApps = Object.keys(pages) as FuzzedApp[];

/** Everything that the HTTP apps serve. */
export const surface: Readonly<Record<FuzzedApp, { operations: readonly Called[]; pages: readonly Called[] }>> = {
  'records-api': { operations: calledOf('records-api', recordsOperations), pages: pagesOf('records-api') },
  'chat-gateway': { operations: calledOf('chat-gateway', chatOperations), pages: pagesOf('chat-gateway') },
  console: { operations: calledOf('console', consoleOperations), pages: pagesOf('console') },
  'webhook-ingest': { operations: [receiveDelivery], pages: pagesOf('webhook-ingest') },
};

/** Operations that list or summarize records. Their queries have dozens of parameters. */
export const lists = surface['records-api'].operations.filter(({ isList }) => isList);
