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
  test('a publishable key works from its origins, and their pages may read the answer and its headers', async () => {
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
    ['no origin', {} as Record<string, string>],
  ])('a publishable key is refused from %s, without CORS headers', async (_where, headers) => {
    const answer = await ask(key, headers, 'nonsense');
    expect(answer).toMatchObject({ status: 403, error: { error: 'forbidden' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a page of an origin of a publishable key may read every error', async () => {
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

test('a secret key needs no origin, and no page may read its answers', async () => {
  expect(await ask(chat.tenant.key, {})).toMatchObject({ status: 200 });
  const answer = await ask(chat.tenant.key, { Origin: siteOrigin });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

describe('a preflight request', () => {
  test('a preflight from an origin of any key is granted without a key', async () => {
    const answer = await preflight(siteOrigin);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(siteOrigin);
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-api-key');
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });

  test('a preflight from any other origin is denied', async () => {
    const answer = await preflight(foreign);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('a preflight is granted as soon as a key has the origin, and denied once the last such key is revoked', async () => {
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

  test('a preflight is answered with 503 if the origins were never read and the database is unavailable', async () => {
    await using other = await startTestChat();
    await other.db.owner.query(statement('', 'ALTER TABLE api_keys RENAME TO hidden'), []);
    const answer = await fetch(other.url + path, {
      method: 'OPTIONS',
      headers: { Origin: siteOrigin, 'Access-Control-Request-Method': 'POST' },
    });
    expect(answer.status).toBe(503);
  });

  test('OPTIONS that is not a preflight is answered with 405', async () => {
    const answer = await fetch(chat.url + path, { method: 'OPTIONS', headers: { Origin: siteOrigin } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });
});
