import { Agent, request } from 'node:http';
import { apiClient, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { startTestApi } from './records-api.harness.ts';

test('every request that reaches a replica is answered, even if it is stopped under load', async () => {
  await using api = await startTestApi();
  const logLines: string[] = [];
  const replica = await api.startReplica({ drainMs: 200, logLines });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses: (number | undefined)[] = [];
  let isOver = false;
  const load = Array.from({ length: 16 }, async () => {
    while (!isOver) statuses.push(await getOnce(`${replica.url}/v1/records/accounts`, agent, api.tenant.key));
  });
  await until(() => expect(statuses.length).toBeGreaterThan(100));
  await replica[Symbol.asyncDispose]();
  isOver = true;
  await Promise.all(load);
  // A status is undefined if the server stopped listening before the request could be made.
  const answered = statuses.filter((status) => status !== undefined);
  const begun = logLines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === 'listAccounts');
  expect(new Set(answered)).toEqual(new Set([200]));
  expect(begun.filter(({ aborted }) => aborted)).toEqual([]);
  expect(answered).toHaveLength(begun.length);
});

function getOnce(url: string, agent: Agent, key: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, headers: { 'X-Api-Key': key } }, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode))
        .on('error', () => resolve(-1));
    });
    sent.on('error', () => resolve(undefined)).end();
  });
}

test('the metrics count requests by operation and status, and show whether PostgreSQL and NATS are connected', async () => {
  await using api = await startTestApi();
  await using replica = await api.startReplica();
  await apiClient(replica.url, api.tenant.key)('GET', '/v1/self');
  await apiClient(replica.url)('GET', '/v1/self');
  await until(async () => {
    const text = await replica.metrics.metrics();
    for (const status of [200, 401])
      expect(text).toMatch(new RegExp(`^http_request_duration_seconds_count.*"getSelf".*"${status}".* 1$`, 'm'));
    expect(text).toMatch(/^database_connections\{.*state="waiting".*\} 0$/m);
    expect(text).toMatch(/^nats_connected\{.*\} 1$/m);
  });
});
