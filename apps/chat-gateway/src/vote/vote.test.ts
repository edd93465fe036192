import { statement } from '@relata/db';
import { apiClient } from '@relata/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { siteOrigin, startTestChat, type TestChat } from '../chat-gateway.harness.ts';

let chat: TestChat;
const path = '/v1/genie/answer-vote';

beforeEach(async () => {
  chat = await startTestChat({ limits: { chat: { points: 50, windowMs: 60_000 }, demo: null } });
});
afterEach(() => chat[Symbol.asyncDispose]());

const vote = (body: unknown, client = chat.tenant.client) => client('POST', path, { body });

async function counted(): Promise<Record<string, number>> {
  const found = await chat.metrics.getSingleMetric('chat_votes_total')!.get();
  return Object.fromEntries(found.values.map(({ labels, value }) => [labels['vote'], value]));
}

test('only the first vote on an answer counts', async () => {
  for (const choice of ['up', 'up', 'down', 'up'])
    expect(await vote({ answer_id: 'a', vote: choice })).toMatchObject({ status: 200, body: { ok: true } });
  await vote({ answer_id: 'b', vote: 'down' });
  expect(await counted()).toEqual({ up: 1, down: 1 });
});

test('concurrent votes on one answer count once', async () => {
  await Promise.all(Array.from({ length: 20 }, () => vote({ answer_id: 'a', vote: 'up' })));
  expect(await counted()).toEqual({ up: 1 });
});

test('answers of two organizations with the same id are counted separately', async () => {
  await vote({ answer_id: 'a', vote: 'up' });
  await vote({ answer_id: 'a', vote: 'up' }, chat.other.client);
  expect(await counted()).toEqual({ up: 2 });
});

test('a client may vote as often as it may chat, and votes do not count as chats', async () => {
  const headers = { 'X-Forwarded-For': '192.0.2.7' };
  const send = (at: number) => chat.tenant.client('POST', path, { headers, body: { answer_id: `${at}`, vote: 'up' } });
  const statuses = [];
  for (let at = 0; at < 52; at++) statuses.push((await send(at)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
  expect(statuses.slice(50)).toEqual([429, 429]);
  expect(await counted()).toEqual({ up: 50 });
  const question = { messages: [{ role: 'user', content: 'Hello' }] };
  expect((await chat.tenant.client('POST', '/v1/genie/chat', { headers, body: question })).status).toBe(200);
});

test('a publishable key can vote only from a page of its origins', async () => {
  const client = apiClient(chat.url, await chat.publishableKey());
  const from = (origin: string) =>
    client('POST', path, { headers: { Origin: origin }, body: { answer_id: origin, vote: 'up' } });
  const answer = await from(siteOrigin);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(siteOrigin);
  expect((await from('https://evil.example')).status).toBe(403);
  expect(await counted()).toEqual({ up: 1 });
});

test.each<[string, unknown, string, string]>([
  ['no id of an answer', { vote: 'up' }, 'answer_id', 'required'],
  ['an empty id', { answer_id: '', vote: 'up' }, 'answer_id', 'too_short'],
  ['an id of 65 characters', { answer_id: 'x'.repeat(65), vote: 'up' }, 'answer_id', 'too_long'],
  ['no vote', { answer_id: 'a' }, 'vote', 'required'],
  ['another vote', { answer_id: 'a', vote: 'sideways' }, 'vote', 'invalid_enum'],
  ['a text', { answer_id: 'a', vote: 'up', text: 'x' }, 'text', 'unknown_field'],
])('a vote with %s is refused with 400, naming the field, and not counted', async (_what, body, field, code) => {
  const { status, error } = await vote(body);
  expect(status).toBe(400);
  expect(error.details).toContainEqual(expect.objectContaining({ in: 'body', field, code }));
  expect(await counted()).toEqual({});
});

test('a vote stores no row and writes no log line', async () => {
  const rows = statement<{ table_name: string; rows: number }>(
    '',
    `SELECT table_name, (xpath('/row/c/text()',
       query_to_xml(format('SELECT count(*) AS c FROM %I', table_name), false, true, '')))[1]::text::int AS rows
     FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY table_name`,
  );
  const before = await chat.db.owner.query(rows, []);
  await vote({ answer_id: 'a-name-of-an-answer', vote: 'up' });
  expect(await chat.db.owner.query(rows, [])).toEqual(before);
  expect(before.length).toBeGreaterThan(5);
  expect(chat.logLines.join('')).not.toContain('a-name-of-an-answer');
});
