import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createApiKey, revokeApiKey } from '@relata/auth';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

describe('keys', () => {
  test('accepts a Bearer token as a key; if both headers are present, X-Api-Key takes precedence', async () => {
    const { key } = api.tenant;
    const call = (headers: Record<string, string>) => apiClient(api.url)('GET', '/v1/self', { headers });
    expect((await call({ Authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await call({ Authorization: `bearer ${key}` })).status).toBe(200);
    expect((await call({ Authorization: `Basic ${key}` })).status).toBe(401);
    expect((await call({ Authorization: 'Bearer nonsense', 'X-Api-Key': key })).status).toBe(200);
    expect((await call({ Authorization: `Bearer ${key}`, 'X-Api-Key': 'nonsense' })).status).toBe(401);
  });

  test('every invalid key gets the same answer', async () => {
    const revoked = await createApiKey(api.db.database, api.tenant.orgId, { name: 'r', kind: 'secret', scopes: [] });
    await revokeApiKey(api.db.database, api.tenant.orgId, revoked.id);
    const made = { name: 'e', kind: 'secret', scopes: [], expiresAt: '2020-01-01T00:00:00Z' } as const;
    const expired = await createApiKey(api.db.database, api.tenant.orgId, made);
    const unknown = api.tenant.key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    const keys = [undefined, '', 'nonsense', unknown, revoked.key, expired.key];
    const responses = await Promise.all(keys.map((key) => apiClient(api.url)('GET', '/v1/self', { key })));
    for (const { status, error } of responses)
      expect([status, error.error, error.message]).toEqual([401, 'unauthorized', responses[0]!.error.message]);
  });

  test('a key that ends while a body is arriving writes nothing', async () => {
    const expiresAt = new Date(Date.now() + 2_000).toISOString();
    const ending = { name: 'ending', kind: 'secret', scopes: ['records:write'], expiresAt } as const;
    const { key } = await createApiKey(api.db.database, api.tenant.orgId, ending);
    const body = '{"account_name":"Late"}';
    const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json', 'Content-Length': body.length };
    const posting = request(`${api.url}/v1/records/accounts`, { method: 'POST', headers });
    posting.setHeader('Expect', '100-continue').flushHeaders();
    // The key was accepted, and the service waits for the body.
    await once(posting, 'continue');
    const askedAt = performance.now();
    await until(async () => {
      expect((await apiClient(api.url, key)('GET', '/v1/self')).status).toBe(401);
      expect(performance.now() - askedAt).toBeGreaterThan(1_000);
    });
    posting.end(body);
    const [response] = (await once(posting, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(401);
  });

  test('self describes the key in use', async () => {
    const { body } = await api.tenant.client('GET', '/v1/self');
    expect(body.data).toMatchObject({
      organization: { name: 'Acme' },
      key: { name: 'full', last_four: api.tenant.key.slice(-4) },
    });
  });
});

describe('routes', () => {
  test.each([
    ['DELETE', '/v1/records/accounts', 'GET, POST, HEAD'],
    ['PUT', '/v1/records/accounts/x', 'GET, PATCH, DELETE, HEAD'],
    ['DELETE', '/v1/records/users/x', 'GET, PATCH, HEAD'],
    ['OPTIONS', '/v1/activities/custom', 'POST, GET, HEAD'],
  ])('%s %s is answered with 405 and the allowed methods, with or without a key', async (method, path, allow) => {
    const response = await api.tenant.client(method, path, { key: undefined });
    expect(response).toMatchObject({ status: 405, error: { error: 'method_not_allowed' } });
    expect(response.headers.get('allow')?.split(', ').toSorted()).toEqual(allow.split(', ').toSorted());
  });

  test.each([
    '/',
    '/v1',
    '/v1/records',
    '/v1/records/accounts/',
    '/V1/records/accounts',
    '/v1/%E0%A4%A',
    '/v1/records/accounts/a/b',
    '/v2/self',
    '//v1/self',
  ])('%s is answered with 404, with or without a key', async (path) => {
    const response = await apiClient(api.url)('GET', path);
    expect(response).toMatchObject({ status: 404, error: { error: 'not_found' } });
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  test.each(['/openapi.json', '/health/live', '/health/ready'])('%s is a route like any other', async (path) => {
    const client = apiClient(api.url);
    const read = await client('GET', path, { headers: { Range: 'bytes=99999999-', 'If-Match': '"x"' } });
    expect([read.status, read.headers.get('x-request-id')]).toEqual([200, expect.any(String)]);
    const refused = await client('POST', path);
    expect([refused.status, refused.error.error]).toEqual([405, 'method_not_allowed']);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
  });

  test.each([
    ['400', 'GET /v1/self HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    ['400', 'FOO /v1/self HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['400', 'nonsense\r\n\r\n'],
    ['417', 'POST /v1/self HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nContent-Length: 0\r\n\r\n'],
    ['431', `GET /v1/self HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
  ])('a request that is not HTTP is answered with %s in the format of the API: %j', async (status, sent) => {
    const response = await sendRaw(api.url, sent);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [head, body] = response.split('\r\n\r\n');
    expect(JSON.parse(body!)).toMatchObject({ error: 'validation_error', message: expect.any(String) });
    expect(head).toMatch(/\r\nX-Request-Id: [-0-9a-f]{36}\r\n/);
  });

  test('HEAD answers like GET, without the body', async () => {
    const response = await api.tenant.client('HEAD', '/v1/records/accounts');
    expect([response.status, response.text]).toEqual([200, '']);
  });
});

describe('bodies', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    api.tenant.client('POST', '/v1/records/accounts', { body, headers });
  const sent = '{"account_name":"Packed"}';

  test.each([
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON;charset="UTF-8"', 201],
    ['application/json; charset=latin1', 415],
    ['application/merge-patch+json', 415],
    ['text/json', 415],
    ['application/x-www-form-urlencoded', 415],
  ])('a body of the content type %s is answered with %i', async (type, status) => {
    expect((await post(sent, { 'Content-Type': type })).status).toBe(status);
  });

  test('a compressed body is decompressed, and its decompressed size is limited', async () => {
    expect((await post(gzipSync(sent), { 'Content-Encoding': 'gzip' })).status).toBe(201);
    const bomb = gzipSync(`{"x":"${'x'.repeat(2_000_000)}"}`);
    expect((await post(bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413);
    expect((await post(sent, { 'Content-Encoding': 'gzip' })).status).toBe(400);
    expect((await post(sent, { 'Content-Encoding': 'rot13' })).status).toBe(415);
  });

  test('a large body without a valid key is answered without being read', async () => {
    const body = 'x'.repeat(30_000_000);
    expect((await api.tenant.client('POST', '/v1/records/accounts', { body, key: 'nonsense' })).status).toBe(401);
    expect((await api.tenant.client('POST', '/v1/records/accounts', { body })).status).toBe(413);
  });

  test('413 comes before 415, and both before 400', async () => {
    expect((await post('x'.repeat(1_048_577), { 'Content-Type': 'text/plain' })).status).toBe(413);
    expect((await post('{', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });
});

/** Sends bytes, and returns all data that is received until the connection is closed. */
async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(bytes);
  return (await socket.toArray({ signal: AbortSignal.timeout(60_000) })).join('');
}

describe('limits', () => {
  test('a request over the limit is answered with 429 and the seconds to wait, after 403 and before 413', async () => {
    await using limited = await api.startReplica({ rateLimit: { points: 3, windowMs: 60_000 } });
    const client = apiClient(limited.url, await api.keyWith(['records:write']));
    expect((await client('GET', '/v1/records/accounts')).status).toBe(403);
    const codes: number[] = [];
    for (let i = 0; i < 3; i++) codes.push((await client('POST', '/v1/records/accounts', { body: '{' })).status);
    expect(codes).toEqual([400, 400, 400]);
    const refused = await client('POST', '/v1/records/accounts', { body: 'x'.repeat(1_048_577) });
    expect(refused).toMatchObject({ status: 429, error: { error: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-limit')).toBe('3');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect((await client('GET', '/v1/records/accounts')).status).toBe(403);
  });

  test('a key that exceeds its limit does not affect other keys', async () => {
    await using limited = await api.startReplica({ rateLimit: { points: 1, windowMs: 60_000 } });
    const [first, second] = [
      apiClient(limited.url, await api.keyWith([])),
      apiClient(limited.url, await api.keyWith([])),
    ];
    expect([(await first('GET', '/v1/self')).status, (await first('GET', '/v1/self')).status]).toEqual([200, 429]);
    expect((await second('GET', '/v1/self')).status).toBe(200);
  });
});

test('the OpenAPI description is public', async () => {
  const response = await apiClient(api.url)('GET', '/openapi.json');
  expect(response.body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
});
