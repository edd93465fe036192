import { createApiKey, createOrganization } from '@relata/auth';
import { chatOperations, recordsOperations, scopeNames } from '@relata/schemas';
import { createTestDatabase, insertExamples, startTeamChannel } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAppProcess } from '../telemetry/app-process.harness.ts';
import type { Calls, Outcome, TestServices } from './calls/test-services.ts';
import { compileCalls, generateClients } from './generate-clients.ts';

const stack = new AsyncDisposableStack();
let services: TestServices;

async function startTestServices(): Promise<TestServices> {
  const db = stack.use(await createTestDatabase());
  const channel = stack.use(await startTeamChannel());
  const { id: orgId } = await createOrganization(db.database, 'Clients');
  const scopes = scopeNames.filter((scope) => scope !== 'webhook');
  const { key } = await createApiKey(db.database, orgId, { name: 'clients', kind: 'secret', scopes });
  const records = await insertExamples(db.database, orgId);
  const [api, chat] = await Promise.all([
    startAppProcess('records-api', db.url),
    startAppProcess('chat-gateway', db.url, {
      TEAM_CHANNEL_WEBHOOK_URL: channel.url,
      OUTBOUND_ALLOW: '127.0.0.1/32,localhost',
    }),
  ]);
  stack.use(api);
  stack.use(chat);
  const events = await fetch(`${api.url}/v1/events?after=start&limit=1`, { headers: { 'X-Api-Key': key } });
  const { data } = (await events.json()) as { data: { id: string }[] };
  return { apiUrl: api.url, chatUrl: chat.url, key, ids: { ...records, event: data[0]!.id } };
}

beforeAll(async () => {
  [services] = await Promise.all([startTestServices(), generateClients()]);
});
afterAll(() => stack.disposeAsync());

let compiling: Promise<void> | undefined;

/** Compiles the calls once, after the clients are generated. */
const compiled = () => (compiling ??= compileCalls());

async function loadCallsOf(name: string) {
  await compiled();
  return (await import(`./.generated/compiled/calls/${name}.js`)) as { callsOf(services: TestServices): Calls };
}

test('the clients of both generators, and a call of every operation, compile with strict types (found C2)', async () => {
  await expect(compiled()).resolves.toBeUndefined();
});

describe.each(['openapi-fetch', 'hey-api'])('%s', (name) => {
  test('its client calls every operation without an error or a failed item (found C1, C2)', async () => {
    const { callsOf } = await loadCallsOf(name);
    const calls = callsOf(services);
    // If you add an operation, add its call in `calls/`.
    expect(Object.keys(calls).toSorted()).toEqual(Object.keys({ ...recordsOperations, ...chatOperations }).toSorted());
    const failures: string[] = [];
    for (const [id, call] of Object.entries(calls)) {
      const outcome = await call();
      if (hasFailed(outcome)) failures.push(`${id}: ${outcome.response?.status} ${JSON.stringify(outcome)}`);
    }
    expect(failures).toEqual([]);
  });

  test('a chat request that gets an error counts as failed', async () => {
    const { callsOf } = await loadCallsOf(name);
    // The records API has no chat, so it answers with 404.
    const outcome = await callsOf({ ...services, chatUrl: services.apiUrl })['chat']!();
    expect(hasFailed(outcome)).toBe(true);
  });
});

/** Returns true for an error, an empty answer, and a batch with a failed item. */
function hasFailed({ response, error, data }: Outcome): boolean {
  if (error !== undefined || data === undefined || response?.ok === false) return true;
  return (data as { failed?: number }).failed ? true : false;
}
