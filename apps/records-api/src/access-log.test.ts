import { request } from 'node:http';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

async function startLogged(proxies: number) {
  const logLines: string[] = [];
  const replica = await api.startReplica({ logLines, proxies });
  const lineOf = (id: string) =>
    until(() => {
      const found = logLines.map((line) => JSON.parse(line)).find(({ request_id }) => request_id === id);
      expect(found).toBeDefined();
      return found;
    });
  const call = apiClient(replica.url, api.tenant.key);
  return { replica, lineOf, call, [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose]() };
}

test('truncates a long path in the log, and adds its length', async () => {
  await using logged = await startLogged(0);
  const path = `/v1/${'x'.repeat(14_000)}`;
  await logged.call('GET', path, { headers: { 'X-Request-Id': 'long' } });
  expect(await logged.lineOf('long')).toMatchObject({ path: path.slice(0, 256), path_length: path.length });
  await logged.call('GET', '/v1/self?q=secret', { headers: { 'X-Request-Id': 'short' } });
  const line = await logged.lineOf('short');
  expect(line.path).toBe('/v1/self');
  expect(line).not.toHaveProperty('path_length');
});

test.each([
  [0, '127.0.0.1'],
  [1, '198.51.100.7'],
])("behind %i proxies, the log has the client's own address", async (proxies, ip) => {
  await using logged = await startLogged(proxies);
  const headers = { 'X-Request-Id': 'whose', 'X-Forwarded-For': '203.0.113.9, 198.51.100.7' };
  await logged.call('GET', '/v1/self', { headers });
  expect(await logged.lineOf('whose')).toMatchObject({ ip, status: 200 });
});

test('the log contains the address of a client that disconnected before its answer', async () => {
  await using logged = await startLogged(0);
  const { url } = logged.replica;
  const headers = {
    'X-Request-Id': 'left',
    'X-Api-Key': api.tenant.key,
    'Content-Type': 'application/json',
    'Content-Length': '2',
    Expect: '100-continue',
  };
  const sent = request(`${url}/v1/records/accounts`, { method: 'POST', headers }).on('error', () => undefined);
  // The server asks for the body, so it has received the request.
  sent.once('continue', () => sent.socket?.resetAndDestroy()).flushHeaders();
  expect(await logged.lineOf('left')).toMatchObject({ ip: '127.0.0.1', aborted: true });
});
