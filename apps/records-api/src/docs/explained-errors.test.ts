import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ErrorBody, errorsPath } from '@relata/schemas/errors';
import { type ApiResponse, expectExplained, expectRateLimit } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi({ rateLimit: { points: 5, windowMs: 1_500_500 } })));
afterAll(() => api[Symbol.asyncDispose]());

const get = (path: string) => api.tenant.client('GET', path);
const explained = ({ error, doc_url }: ErrorBody) => expectExplained(error, doc_url);

/** Sends bytes over a raw connection, and returns the status and the body of the response. */
async function answerTo(bytes: string): Promise<{ status: number; body: ErrorBody }> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.end(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

test('errors that occur before routing are explained, too', async () => {
  const { client } = api.tenant;
  const noRoute = await get('/v1/nonsense');
  const noMethod = await client('DELETE', '/v1/self');
  const noMethodOfPage = await client('POST', errorsPath);
  expect([noRoute, noMethod, noMethodOfPage].map(({ status }) => status)).toEqual([404, 405, 405]);
  for (const { error } of [noRoute, noMethod, noMethodOfPage]) explained(error);
  expect([noMethod, noMethodOfPage].map(({ error }) => error.allowed)).toEqual([
    ['GET', 'HEAD'],
    ['GET', 'HEAD'],
  ]);
  expect(noMethod.headers.get('allow')).toBe('GET, HEAD');
});

test.each([
  [400, 'GET / HTTP/1.1\r\n\r\n'],
  [400, 'nonsense\r\n\r\n'],
  [417, 'POST /v1/self HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n'],
  [431, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`],
])('the error for a request that violates HTTP (%i) is explained, too', async (expected, bytes) => {
  const { status, body } = await answerTo(bytes);
  expect(status).toBe(expected);
  explained(ErrorBody.parse(body));
});

test('both forms of the rate limit headers state the same remaining limit, also in a response with 429', async () => {
  const responses: ApiResponse[] = [];
  for (let at = 0; at < 6; at++) responses.push(await get('/v1/self'));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  for (const { headers } of responses) expectRateLimit(headers);
  expect(responses[0]!.headers.get('ratelimit-policy')).toBe('"default";q=5;w=1501');
  expect(responses[0]!.headers.get('ratelimit')).toMatch(/^"default";r=4;t=\d+$/);
  explained(responses[5]!.error);
});
