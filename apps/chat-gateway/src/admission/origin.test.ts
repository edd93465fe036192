import { statement } from '@relata/db';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listApiKeys, revokeApiKey } from '@relata/auth';
import { asking, siteOrigin, startTestChat, type TestChat } from '../chat-gateway.harness.ts';

let chat: TestChat;
let key: string;
const path = '/v1/genie/chat';
const foreign = 'https://evil.example';
const globexOrigin = 'https://www.globex.example';

beforeAll(async () => {
  chat = await startTestChat();
  key = await chat.publishableKey();
  await chat.publishableKey([globexOrigin], chat.other.orgId);
});
afterAll(() => chat[Symbol.asyncDispose]());

const ask = (given: string | undefined, headers: Record<string, string>, body: unknown = asking('Hello')) =>
  apiClient(chat.url, given)('POST', path, { body, headers });

async function idOf(made: string): Promise<string> {
  const keys = await listApiKeys(chat.db.database, chat.tenant.orgId);
  return keys.find(({ last_four }) => made.endsWith(last_four))!.id;
}

const preflight = (origin: string) =>
  fetch(chat.url + path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,x-api-key',
    },
  });

describe('a publishable key', () => {
  test('works from a page of its origins, which may read the answer and its headers', async () => {
    const answer = await ask(key, { Origin: siteOrigin });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(siteOrigin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect(answer.headers.get('vary')).toBe('Origin, X-Api-Key, Authorization');
  });

  test.each([
    ['another origin', { Origin: foreign }],
    ['the origin of a key of somebody else', { Origin: globexOrigin }],
    ['an origin that only begins like its own', { Origin: `${siteOrigin}.evil.example` }],
    ['its origin over another scheme', { Origin: siteOrigin.replace('https', 'http') }],
    ['its origin on another port', { Origin: `${siteOrigin}:8443` }],
    ['a page without an origin', { Origin: 'null' }],
    ['nobody knows where', {} as Record<string, string>],
  ])('is refused from %s, which may not read why', async (_where, headers) => {
    const answer = await ask(key, headers, 'nonsense');
    expect(answer).toMatchObject({ status: 403, error: { error: 'forbidden' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a page of its origins may read every error', async () => {
    const errors = [
      await ask('nonsense', { Origin: siteOrigin }),
      await ask(key, { Origin: siteOrigin }, '{'),
      await ask(key, { Origin: siteOrigin, 'Content-Type': 'text/plain' }),
      await apiClient(chat.url, key)('GET', path, { headers: { Origin: siteOrigin } }),
    ];
    expect(errors.map(({ status }) => status)).toEqual([401, 400, 415, 405]);
    for (const { headers } of errors) expect(headers.get('access-control-allow-origin')).toBe(siteOrigin);
  });
});

test('a secret key needs no origin, and no page may read what it is answered', async () => {
  expect(await ask(chat.tenant.key, {})).toMatchObject({ status: 200 });
  const answer = await ask(chat.tenant.key, { Origin: siteOrigin });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

describe('the question of a browser whether it may send a request', () => {
  test('is answered without a key for an origin of any key', async () => {
    const answer = await preflight(siteOrigin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(siteOrigin);
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-api-key');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  test('is denied to every other origin', async () => {
    const answer = await preflight(foreign);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('is granted as soon as there is a key for it, and denied when the last one has ended', async () => {
    const origin = 'https://new.example';
    expect((await preflight(origin)).status).toBe(403);
    const made = await chat.publishableKey([origin]);
    await until(async () => expect((await preflight(origin)).status).toBe(204));
    await revokeApiKey(chat.db.database, chat.tenant.orgId, await idOf(made));
    await using replica = await chat.startReplica();
    const answer = await fetch(replica.url + path, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(answer.status).toBe(403);
  });

  test('is 503 where nobody can tell: the database is away, and was never asked', async () => {
    await using other = await startTestChat();
    await other.db.owner.query(statement('', 'ALTER TABLE api_keys RENAME TO hidden'), []);
    const answer = await fetch(other.url + path, {
      method: 'OPTIONS',
      headers: { Origin: siteOrigin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(answer.status).toBe(503);
  });

  test('OPTIONS that asks for nothing is no method of the route: 405', async () => {
    const answer = await fetch(chat.url + path, { method: 'OPTIONS', headers: { Origin: siteOrigin } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });
});
