import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createChannel } from '@relata/channel';
import { listDemoRequests } from '@relata/demo-requests';
import { startTeamChannel, until } from '@relata/testing';
import { expect, test } from 'vitest';
import { asking, streamedParts, startTestChat, type TestChat, textOfParts } from './chat-gateway.harness.ts';

test('if the channel never responds, one organization takes at most half of the slots; requests of others are answered', async () => {
  await using inbox = await startTeamChannel();
  const silent: ServerResponse[] = [];
  inbox.responses = [(response) => void silent.push(response)];
  const channel = createChannel({ url: inbox.url, kind: 'slack', timeoutMs: 60_000 });
  await using chat = await startTestChat({ channel, channelDeadlineMs: 60_000 });
  const wish = { name: 'Ada Lovelace', work_email: 'ada@robotics.example' };
  const request = ({ client }: typeof chat.tenant) => client('POST', '/v1/genie/demo-request', { body: wish });
  const flood: ReturnType<typeof request>[] = [];
  while (flood.length < 100) {
    flood.push(...Array.from({ length: 20 }, () => request(chat.tenant)));
    await until(() => expect(silent).toHaveLength(flood.length));
  }
  const refused = await request(chat.tenant);
  expect(refused).toMatchObject({ status: 503, error: { error: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  inbox.responses = [200];
  expect((await request(chat.other)).status).toBe(200);
  const { text } = await chat.other.client('POST', '/v1/genie/chat', { body: asking('What does the Team plan cost?') });
  expect(textOfParts(streamedParts(text))).toContain('29 euros');
  for (const response of silent) response.destroy();
  expect((await Promise.all(flood)).map(({ status }) => status)).toEqual(Array(100).fill(502));
  const stored = await listDemoRequests(chat.db.database, chat.tenant.orgId, { unsent: true, limit: 200 });
  expect(stored).toHaveLength(100);
  // On a busy machine, an outcome may not be recorded in time. The request is then in doubt once its lease has expired.
  expect(new Set(stored.map(({ status }) => status)).difference(new Set(['in_doubt', 'sending']))).toEqual(new Set());
});

const question = 'What does the Team plan cost?';
/** A question, padded with spaces to the maximum size. */
const largeBody = JSON.stringify(asking(question)).padEnd(1_048_576);

/** Posts a large body except its last byte, as a visitor with the given address. */
async function unfinishedPost({ url, tenant }: TestChat, ip: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
  await once(socket, 'connect');
  const head = ['POST /v1/genie/chat HTTP/1.1', 'Host: x', `X-Api-Key: ${tenant.key}`, `X-Forwarded-For: ${ip}`];
  const ofBody = ['Content-Type: application/json', `Content-Length: ${largeBody.length}`];
  socket.write([...head, ...ofBody, '', largeBody.slice(0, -1)].join('\r\n'));
  return { status: () => answer.slice(9, 12), [Symbol.dispose]: () => socket.destroy() };
}

test('unfinished bodies from one address leave room for large bodies from other addresses, even with the same key', async () => {
  await using chat = await startTestChat();
  const statusOf = async ({ client }: typeof chat.tenant, ip: string) =>
    (await client('POST', '/v1/genie/chat', { body: largeBody, headers: { 'x-forwarded-for': ip } })).status;
  const posts = await Promise.all(Array.from({ length: 16 }, () => unfinishedPost(chat, '192.0.2.1')));
  {
    using stack = new DisposableStack();
    for (const post of posts) stack.use(post);
    await until(() => expect(posts.filter(({ status }) => status() === '503')).toHaveLength(12));
    expect(await statusOf(chat.tenant, '192.0.2.1')).toBe(503);
    expect(await statusOf(chat.tenant, '192.0.2.2')).toBe(200);
    expect(await statusOf(chat.other, '192.0.2.1')).toBe(200);
  }
  await until(async () => expect(await statusOf(chat.tenant, '192.0.2.1')).toBe(200));
});

test('unfinished bodies from many addresses leave room for the questions of other visitors', async () => {
  await using chat = await startTestChat();
  const posts = await Promise.all(Array.from({ length: 16 }, (_, at) => unfinishedPost(chat, `192.0.2.${at}`)));
  using stack = new DisposableStack();
  for (const post of posts) stack.use(post);
  await until(() => expect(posts.filter(({ status }) => status() === '503')).toHaveLength(8));
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  const asked = chat.tenant.client('POST', '/v1/genie/chat', { body: asking(question), headers });
  expect((await asked).status).toBe(200);
});
