import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { apiGuide } from './api-guide.ts';
import { describeBodyDefaults } from './body-defaults.ts';
import { type ErrorExample, collectErrorExamples } from './error-examples.ts';
import { ErrorBody } from '../errors/error-body.ts';
import { type ErrorCode, errors } from '../errors/errors.ts';
import { type OperationSpec, takesIfMatch } from '../operation.ts';
import { chatOperations, resources, recordsOperations } from '../operations.ts';

type PathConfig = Parameters<OpenAPIRegistry['registerPath']>[0];
type Responses = PathConfig['responses'];

/** Response headers. Operations share them, so the document has each of them once. */
const responseHeaders = {
  'X-Request-Id': { description: 'Identifies the request in the log.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests allowed per window.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in this window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the next window begins.', schema: { type: 'integer' } },
  RateLimit: {
    description:
      'The remaining limit as a structured field: its name, `r` requests left, `t` seconds until the next ' +
      'window begins.',
    schema: { type: 'string' },
    example: '"default";r=5999;t=42',
  },
  'RateLimit-Policy': {
    description: 'The limit as a structured field: its name, `q` requests in a window of `w` seconds.',
    schema: { type: 'string' },
    example: '"default";q=6000;w=60',
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
  ETag: {
    description: 'The version of the record. Every change of the record changes it.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if the write was done before, and this is its stored answer.',
    schema: { type: 'string' },
    example: 'true',
  },
  'Retry-After': { description: 'Seconds to wait, a whole number.', schema: { type: 'integer' } },
} as const;

type HeaderName = keyof typeof responseHeaders;

const rateLimit: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

const headersNamed = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

const idempotencyKey = {
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({
      description:
        'A name for this write, unique for the API key. If it is sent again within 24 hours, the write is ' +
        'not repeated and gets the same answer.',
      examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
    }),
};

const ifNoneMatch = {
  'If-None-Match': z
    .string()
    .optional()
    .meta({
      description:
        'ETags, or `*`. If the record has one of these versions, the answer is 304 and does not count against ' +
        'the limit.',
    }),
};

const ifMatch = {
  'If-Match': z.string().optional().meta({
    description: 'ETags, or `*`. If the record has none of these versions, nothing is done and the answer is 412.',
  }),
};

/** Returns the request headers of an operation: the expected version of the record, and the idempotency key. */
function requestHeaders(spec: OperationSpec): z.ZodObject | undefined {
  const shape = {
    ...(spec.method === 'get' && spec.hasVersion && ifNoneMatch),
    ...(spec.isWrite && idempotencyKey),
    ...(takesIfMatch(spec) && ifMatch),
  };
  return Object.keys(shape).length > 0 ? z.object(shape) : undefined;
}

/** Returns true if responses with this status state the remaining rate limit of the key. */
function isCounted(status: number): boolean {
  return status !== 401 && status !== 403 && status !== 408;
}

/** Returns the OpenAPI 3.1.0 description of the REST API, built from the operations that serve it. */
export function openApiDocument() {
  const registry = new OpenAPIRegistry();
  registerSecurity(registry);
  for (const [name, declared] of Object.entries(responseHeaders)) registry.registerComponent('headers', name, declared);
  registry.registerComponent('responses', notModifiedName, notModified);
  const operations: OperationSpec[] = [...Object.values(recordsOperations), ...Object.values(chatOperations)];
  for (const spec of operations) {
    registerExamples(registry, spec);
    registry.registerPath(pathOf(registry, spec));
  }
  const generated = new OpenApiGeneratorV31(registry.definitions).generateDocument(header);
  const { webhooks: _none, ...document } = generated;
  describeBodyDefaults(document);
  return document;
}

const otherTags = [
  { name: 'Trash', description: 'Deleted records, which can be restored.' },
  { name: 'Events', description: 'Who changed what, and a feed of all changes.' },
  { name: 'Keys', description: 'The key in use and its permissions.' },
  { name: 'Marketing chatbot', description: 'For the visitors of a marketing site.' },
];

const header: Parameters<OpenApiGeneratorV31['generateDocument']>[0] = {
  openapi: '3.1.0',
  info: {
    title: 'Relata',
    version: '1.0.0',
    description: apiGuide,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The service that serves this document.' }],
  tags: [...resources.map(({ tag }) => tag), ...otherTags],
};

function registerSecurity(registry: OpenAPIRegistry): void {
  registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'An API key. If a request has both headers, this one counts.',
  });
  registry.registerComponent('securitySchemes', 'Bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as a Bearer token.',
  });
}

/** Registers examples as components: many operations share them, so the document has each once. */
function registerExamples(registry: OpenAPIRegistry, spec: OperationSpec): void {
  for (const { name, body } of collectErrorExamples(spec))
    registry.registerComponent('examples', name, { value: body });
}

function pathOf(registry: OpenAPIRegistry, spec: OperationSpec): PathConfig {
  const { id, method, path, tag, summary, description } = spec;
  const needs = scopesNeeded(spec);
  return {
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description: description ? `${description} ${needs}` : needs,
    security: [{ ApiKey: [] }, { Bearer: [] }],
    request: requestOf(spec),
    responses: { ...successesOf(spec), ...notModifiedOf(spec), ...errorResponses(registry, spec) },
  } as PathConfig;
}

function scopesNeeded({ scope, scopes }: OperationSpec): string {
  if (scope === null) return 'Needs a valid key, with any scope.';
  const others = Object.entries(scopes ?? {}).filter(([, each]) => each !== scope);
  return `Needs the scope \`${scope}\`${others.map(([name, each]) => `; for \`${name}\` the scope \`${each}\` instead`).join('')}.`;
}

function requestOf(spec: OperationSpec) {
  const { stream, params, query, example } = spec;
  const body = spec.describedBody ?? spec.body;
  const headers = stream?.headers ?? requestHeaders(spec);
  return {
    ...(params && { params }),
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body && {
      body: { required: true, content: { 'application/json': { schema: body, ...(example && { example }) } } },
    }),
  };
}

function successesOf(spec: OperationSpec): Responses {
  const success = successOf(spec);
  const created = spec.mayCreate && { 201: { ...success, description: 'The record that was created.' } };
  return { [spec.success.status]: success, ...created };
}

function successOf({ success, stream, hasVersion, isWrite }: OperationSpec) {
  const names: HeaderName[] = ['X-Request-Id'];
  if (hasVersion) names.push('ETag');
  if (isWrite) names.push('Idempotent-Replayed');
  const headers = headersNamed(...names, ...rateLimit);
  const contentType = success.contentType ?? 'application/json';
  const schema = success.body ?? { type: 'string' as const };
  const streamed = stream && {
    'text/event-stream': { schema: { type: 'string' as const, description: stream.description } },
  };
  return { description: success.description, headers, content: { [contentType]: { schema }, ...streamed } };
}

const notModifiedName = 'not_modified';
const notModified = {
  description: 'The version in `If-None-Match` is the current one.',
  headers: headersNamed('X-Request-Id', 'ETag', ...rateLimit),
};

function notModifiedOf({ method, hasVersion }: OperationSpec): Responses {
  return method === 'get' && hasVersion ? { 304: refTo('responses', notModifiedName) } : {};
}

/** Returns one response per status, whose description names every error code with this status. */
function errorResponses(registry: OpenAPIRegistry, spec: OperationSpec): Responses {
  const byStatus = Map.groupBy(collectErrorExamples(spec), ({ status }) => status);
  const entries = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, examples]) => {
      // A response with an example of this operation alone cannot be shared.
      const isOwn = examples.some(({ name }) => name.endsWith(`_${spec.id}`));
      if (isOwn) return [status, errorResponse(status, examples, ErrorBody)];
      // The schema is a component because the responses above use it.
      const response = errorResponse(status, examples, refTo('schemas', 'Error'));
      const { ref } = registry.registerComponent('responses', examples.map(({ name }) => name).join('.'), response);
      return [status, ref];
    }),
  );
}

/** Errors that say when to send the request again. */
const retried = new Set<ErrorCode>(['idempotency_in_progress', 'rate_limited', 'service_unavailable']);

function errorResponse<Schema>(status: number, examples: readonly ErrorExample[], schema: Schema) {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status === 401) names.push('WWW-Authenticate');
  if (status === 412) names.push('ETag');
  if (isCounted(status)) names.push(...rateLimit);
  if (examples.some(({ code }) => retried.has(code))) names.push('Retry-After');
  return {
    description: examples.map(describe).join(' '),
    headers: headersNamed(...names),
    content: {
      'application/json': {
        schema,
        examples: Object.fromEntries(examples.map(({ name, code }) => [code, refTo('examples', name)])),
      },
    },
  };
}

function describe({ code, status, body }: ErrorExample): string {
  return `\`${code}\`: ${errors[code].status === status ? errors[code].description : body.message}`;
}

function refTo(kind: 'examples' | 'headers' | 'responses' | 'schemas', name: string) {
  return { $ref: `#/components/${kind}/${name}` };
}
