import { randomUUID } from 'node:crypto';
import { declaredErrors, type OperationSpec } from '@relata/schemas';
import { ErrorBody, errors, errorsPath } from '@relata/schemas/errors';
import { errorsGuide } from '@relata/schemas/errors-guide';
import { openApiDocument } from '@relata/schemas/openapi';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiResponse, ApiClient, ApiRequest } from './api-client.ts';
import { withParameter } from './example-records.ts';
import { extremeFaults } from './extremes/extremes.ts';
import { expectRateLimit } from './rate-limit-headers.ts';

export interface ConformanceTarget {
  /** A client whose key has all permissions. */
  client: ApiClient;
  /** A valid key without the permissions that the operations need. */
  keyWithoutScopes: string;
  /** Returns the path of a request that succeeds, for an existing record. */
  pathOf(spec: OperationSpec): Promise<string>;
  /** Returns the path of the operation for a record of another organization. */
  foreignPathOf(spec: OperationSpec): Promise<string>;
  /** Returns the documented example with ids that exist. */
  bodyOf(spec: OperationSpec): Promise<Record<string, unknown>>;
  /** Returns a valid body for each variant, to which any field can be added. Each call returns new bodies. */
  bodiesOf(spec: OperationSpec): Record<string, unknown>[];
  /** Returns ids of existing records for every field that refers to one. */
  references(spec: OperationSpec): Record<string, unknown>;
  /** Returns ids of another organization for every field that refers to a record. */
  foreignReferences(spec: OperationSpec): Promise<Record<string, unknown>>;
}

/** Declares the tests that every operation of a list must pass. */
export function describeConformance(operations: readonly OperationSpec[], target: () => ConformanceTarget): void {
  for (const spec of operations) {
    describe(`${spec.id} (${spec.method.toUpperCase()} ${spec.path})`, () => {
      testCallers(spec, target);
      testSuccess(spec, target);
      if (spec.params) testMissing(spec, target);
      if (spec.body) testBody(spec, target);
      testQuery(spec, target);
      // Excludes merges: a merge removes the records of its body, so it cannot be repeated with other values.
      if (!spec.path.endsWith('/merge')) testExtremes(spec, target);
    });
  }
}

type GetTarget = () => ConformanceTarget;

/** Sends a request, and checks the response against the declaration of the operation. */
async function send(
  spec: OperationSpec,
  target: GetTarget,
  request: ApiRequest & { path?: string } = {},
): Promise<ApiResponse> {
  const path = request.path ?? (await target().pathOf(spec));
  const response = await target().client(spec.method.toUpperCase(), path, request);
  const declared = [
    spec.success.status,
    ...(spec.mayCreate ? [201] : []),
    ...declaredErrors(spec).map((code) => errors[code].status),
  ];
  expect(declared, `${spec.id} declares what it answers`).toContain(response.status);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expectUncached(response);
  if (response.status >= 400) expectError(spec, response);
  return response;
}

/** Checks that no cache may store a response or reuse it for another key. */
function expectUncached({ headers }: ApiResponse): void {
  expect(headers.get('cache-control')).toBe('private, no-store');
  expect(headers.get('vary')).toContain('X-Api-Key, Authorization');
}

function expectError(spec: OperationSpec, { status, body }: ApiResponse): void {
  const { error, doc_url } = ErrorBody.parse(body);
  expect(declaredErrors(spec)).toContain(error);
  expect(errors[error as keyof typeof errors].status).toBe(status);
  expectExplained(error, doc_url);
}

/** Checks that `doc_url` links to a section about the error in `guide`, from which the page of errors is generated. */
export function expectExplained(error: string, docUrl: string) {
  expect(docUrl).toBe(`${errorsPath}#${error}`);
  expect(guide).toContain(`\n## \`${error}\`\n`);
}

const guide = errorsGuide();

const { paths, components } = openApiDocument();

/** Checks that the OpenAPI description contains exactly this response, except for the id of the request. */
function expectDocumented(spec: OperationSpec, { status, error }: ApiResponse): void {
  const described = paths![spec.path]![spec.method]!.responses![status] as { $ref?: string } & Described;
  const shared = components!.responses as unknown as Record<string, Described>;
  const response = described.$ref === undefined ? described : shared[described.$ref.split('/').at(-1)!]!;
  const names = Object.values(response.content['application/json'].examples).map(({ $ref }) => $ref.split('/').at(-1)!);
  const examples = names.map((name) => (components!.examples![name] as { value: ErrorBody }).value);
  expect(examples).toContainEqual({ ...error, request_id: expect.any(String) });
}

interface Described {
  content: { 'application/json': { examples: Record<string, { $ref: string }> } };
}

function testCallers(spec: OperationSpec, target: GetTarget): void {
  test('without a key: 401', async () => {
    const response = await send(spec, target, { key: undefined });
    expect(response).toMatchObject({ status: 401, error: { error: 'unauthorized' } });
    expect(response.headers.get('www-authenticate')).toBeTruthy();
    expectDocumented(spec, response);
  });

  test('401 takes precedence over every other error', async () => {
    const path = withParameter(await target().pathOf(spec), 'nonsense', ['1']);
    const response = await send(spec, target, { key: 'nonsense', path, ...(spec.body && { body: 'nonsense' }) });
    expect(response.status).toBe(401);
  });

  if (spec.scope === null) return;
  test(`without the scope ${spec.scope}: 403, naming it, before the body is read`, async () => {
    const request = { key: target().keyWithoutScopes, ...(spec.body && { body: 'nonsense' }) };
    const response = await send(spec, target, request);
    expect(response).toMatchObject({ status: 403, error: { error: 'forbidden' } });
    expect(response.error.message).toContain(spec.scope);
    expect(response.error.required_scopes).toEqual([spec.scope]);
    expectDocumented(spec, response);
  });
}

function testSuccess(spec: OperationSpec, target: GetTarget): void {
  test('the documented example is accepted, and the response follows its schema exactly', async () => {
    const response = await send(spec, target, spec.body && { body: await target().bodyOf(spec) });
    expect(response.status, response.text).toBe(spec.mayCreate ? 201 : spec.success.status);
    expect(response.headers.get('content-type')).toBe(spec.success.contentType ?? 'application/json');
    expect(spec.success.body?.parse(response.body)).toEqual(response.body);
    expectRateLimit(response.headers);
  });

  test('a valid request id is kept, and an invalid one is replaced', async () => {
    const kept = await send(spec, target, { headers: { 'X-Request-Id': 'trace-42' } });
    expect(kept.headers.get('x-request-id')).toBe('trace-42');
    const replaced = await send(spec, target, { headers: { 'X-Request-Id': 'a b<script>' } });
    expect(replaced.headers.get('x-request-id')).not.toContain('<');
  });
}

function testMissing(spec: OperationSpec, target: GetTarget): void {
  const request = async () => spec.body && { body: await target().bodyOf(spec) };
  const withId = (id: string) => spec.path.replace('{id}', id);

  test("another organization's id: 404", async () => {
    const response = await send(spec, target, { ...(await request()), path: await target().foreignPathOf(spec) });
    expect(response).toMatchObject({ status: 404, error: { error: 'not_found' } });
    expectDocumented(spec, response);
  });

  test.each([randomUUID(), '00000000-0000-0000-0000-000000000000', '%ff', '%E0%A4%A'])('id %s: 404', async (id) => {
    const response = await send(spec, target, { ...(await request()), path: withId(id) });
    expect(response).toMatchObject({ status: 404, error: { error: 'not_found' } });
  });

  test.each(['nonsense', '1', '%00', `${randomUUID()}0`])(
    'id %s: 404, and the message says that it is not an id (found C4)',
    async (id) => {
      const response = await send(spec, target, { ...(await request()), path: withId(id) });
      const message = expect.stringContaining('The id is not a UUID');
      expect(response).toMatchObject({ status: 404, error: { error: 'not_found', message } });
    },
  );
}

function testQuery(spec: OperationSpec, target: GetTarget): void {
  test('an unknown query parameter: 400, naming it', async () => {
    const path = withParameter(await target().pathOf(spec), 'nonsense', ['1']);
    const response = await send(spec, target, { path, ...(spec.body && { body: await target().bodyOf(spec) }) });
    expect(response.status).toBe(400);
    expect(response.error.details).toContainEqual(
      expect.objectContaining({ in: 'query', field: 'nonsense', code: 'unknown_field' }),
    );
  });
}

function testExtremes(spec: OperationSpec, target: GetTarget): void {
  test('accepts the extremes of every field, refuses values beyond them, and never answers 5xx (found C1)', async () => {
    const { client, pathOf, bodiesOf, references } = target();
    const path = await pathOf(spec);
    const faults = await extremeFaults(
      spec,
      { path, bodies: () => bodiesOf(spec), references: references(spec) },
      (await pathOf(spec)) === path ? client : onFreshPaths(path, () => pathOf(spec), client),
    );
    expect(faults).toEqual([]);
  });
}

/** Returns a client that uses a new record for each request to `path`, because each request removes its record. */
function onFreshPaths(path: string, pathOf: () => Promise<string>, client: ApiClient): ApiClient {
  const idIn = (text: string) => /[0-9a-f-]{36}/.exec(text)![0];
  const id = idIn(path);
  return async (method, asked, request) => {
    const fresh = idIn(await pathOf());
    return client(method, asked.replace(id, fresh).replace(id.toUpperCase(), fresh.toUpperCase()), request);
  };
}

function testBody(spec: OperationSpec, target: GetTarget): void {
  test.each([
    ['nothing', ''],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])('%s: 400 invalid_json', async (_what, body) => {
    expect(await send(spec, target, { body })).toMatchObject({ status: 400, error: { error: 'invalid_json' } });
  });

  const padded = (bytes: number) => `{"nonsense":"${'x'.repeat(bytes - 15)}"}`;

  test.each([
    ['broken JSON', 400, 'invalid_json', { body: '{"a":' }],
    ['one byte over 1 MB', 413, 'payload_too_large', { body: padded(1_048_577) }],
    ['another content type', 415, 'unsupported_media_type', { body: '{}', headers: { 'Content-Type': 'text/plain' } }],
  ])('%s: %i, as documented', async (_what, status, error, request) => {
    const response = await send(spec, target, request);
    expect(response).toMatchObject({ status, error: { error } });
    expectDocumented(spec, response);
  });

  test('1 MB is read', async () => {
    expect(await send(spec, target, { body: padded(1_048_576) })).toMatchObject({ status: 400 });
  });

  test.each(['[]', '"text"', '1', 'null', 'true'])('%s is not an object: 400', async (body) => {
    expect(await send(spec, target, { body })).toMatchObject({ status: 400, error: { error: 'validation_error' } });
  });

  const isStrict = spec.body?.def.catchall instanceof z.ZodNever;
  const expected = isStrict ? '400, naming it' : 'ignored';
  test.each(['nonsense', '__proto__', 'constructor'])(`the unknown field %s: ${expected}`, async (name) => {
    const sent = JSON.stringify(await target().bodyOf(spec)).replace(/\}$/, `,"${name}":1}`);
    const response = await send(spec, target, { body: sent });
    expect(response.status).toBe(isStrict ? 400 : spec.success.status);
    if (!isStrict) return;
    expect(response.error.details).toContainEqual(
      expect.objectContaining({ in: 'body', field: name, code: 'unknown_field' }),
    );
  });

  test("another organization's ids: 400 invalid_reference, naming every field", async () => {
    const foreign = await target().foreignReferences(spec);
    // A batch reports errors in the results of its items.
    if (spec.hasItems || Object.keys(foreign).length === 0) return;
    const body = withFields(spec, await target().bodyOf(spec), foreign);
    const { status, error } = await send(spec, target, { body });
    expect(status).toBe(400);
    const named = error.details?.filter(({ code }) => code === 'invalid_reference').map(({ field }) => field);
    const part = hasSet(spec) ? 'set.' : '';
    expect(named?.toSorted()).toEqual(
      Object.keys(foreign)
        .map((field) => `${part}${field}`)
        .toSorted(),
    );
  });
}

type Fields = Record<string, unknown>;

const hasSet = ({ body }: OperationSpec) => body !== undefined && 'set' in body.shape;

function withFields(spec: OperationSpec, body: Fields, fields: Fields): Fields {
  return hasSet(spec) ? { ...body, set: { ...(body['set'] as Fields), ...fields } } : { ...body, ...fields };
}
