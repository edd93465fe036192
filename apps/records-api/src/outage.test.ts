import { Agent, request } from 'node:http';
import { createApiKey, createOrganization } from '@relata/auth';
import { openDatabase } from '@relata/db';
import { apiClient, startOwnPostgres, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { openReplica, startTestApi } from './records-api.harness.ts';

test('every request that reaches a replica is answered, though it is stopped under load', async () => {
  await using api = await startTestApi();
  const logLines: string[] = [];
  const replica = await api.startReplica({ drainMs: 200, logLines });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const answers: (number | undefined)[] = [];
  let isOver = false;
  const load = Array.from({ length: 16 }, async () => {
    while (!isOver) answers.push(await getOnce(`${replica.url}/v1/records/accounts`, agent, api.tenant.key));
  });
  await until(() => expect(answers.length).toBeGreaterThan(100));
  await replica[Symbol.asyncDispose]();
  isOver = true;
  await Promise.all(load);
  // Undefined: the server stopped listening before the request could be made.
  const answered = answers.filter((status) => status !== undefined);
  const begun = logLines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === 'listAccounts');
  expect(new Set(answered)).toEqual(new Set([200]));
  expect(begun.filter(({ aborted }) => aborted)).toEqual([]);
  expect(answered).toHaveLength(begun.length);
});

function getOnce(url: string, agent: Agent, key: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, headers: { 'X-Api-Key': key } }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(answer.statusCode))
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

test(
  '503 with Retry-After while PostgreSQL is away, and service as soon as it is back',
  { timeout: 60_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const postgres = await startOwnPostgres(stack);
    const { url, key } = await createOwnKey(postgres.url);
    const replica = stack.use(await openReplica(url, {}));
    const client = apiClient(replica.url, key);
    const body = { account_name: 'A' };
    expect((await client('POST', '/v1/records/accounts', { body })).status).toBe(201);

    await postgres.stop();
    const answers = [
      await client('GET', '/v1/records/accounts'),
      await client('POST', '/v1/records/accounts', { body }),
    ];
    for (const answer of answers) {
      const error = { error: 'service_unavailable', doc_url: '/docs/errors#service_unavailable' };
      expect(answer).toMatchObject({ status: 503, error });
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN|postgres/i);
    }
    expect((await client('GET', '/health/ready')).status).toBe(503);
    expect((await client('GET', '/health/live')).status).toBe(200);

    await postgres.start();
    await until(async () => expect((await client('GET', '/v1/records/accounts')).body.total).toBe(1), 10_000);
    expect((await client('GET', '/health/ready')).status).toBe(200);
  },
);

async function createOwnKey(url: string): Promise<{ url: string; key: string }> {
  await using database = openDatabase({ url, name: 'test' });
  const { id } = await createOrganization(database, 'Acme');
  const scopes = ['records:read', 'records:write'] as const;
  return { url, key: (await createApiKey(database, id, { name: 'test', kind: 'secret', scopes })).key };
}
