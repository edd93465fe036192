import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Inbox, openInbox } from './inbox.ts';

let inbox: Inbox;
let shown: string[];

beforeEach(async () => {
  shown = [];
  inbox = await openInbox((box) => shown.push(box));
});

afterEach(() => inbox[Symbol.asyncDispose]());

async function post(body: string, url = inbox.url): Promise<[number, string]> {
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(60_000) });
  return [response.status, await response.text()];
}

async function kept(): Promise<string[][]> {
  const { messages } = (await (await fetch(inbox.url)).json()) as { messages: { lines: string[] }[] };
  return messages.map(({ lines }) => lines);
}

test('a message gets the answer of Slack, and is shown and kept', async () => {
  expect(await post(JSON.stringify({ text: 'Hello &amp; welcome' }))).toEqual([200, 'ok']);
  expect(shown.join('\n')).toContain('│ Hello & welcome\n');
  expect(await kept()).toEqual([['Hello & welcome']]);
});

test('a request without the secret path is answered with 404', async () => {
  const { origin } = new URL(inbox.url);
  for (const path of ['/', '/inbox', '/inbox/', `${new URL(inbox.url).pathname}/`]) {
    expect(await post('{"text":"x"}', origin + path)).toEqual([404, 'no_service']);
    expect((await fetch(origin + path)).status).toBe(404);
  }
  expect(new URL(inbox.url).pathname).toMatch(/^\/inbox\/[\w-]{32}$/);
});

test.each(['', '{', 'null', '{}', '{"text":""}', '['.repeat(60_000)])(
  'the body %.9j is refused with 400',
  async (body) => {
    expect(await post(body)).toEqual([400, 'invalid_payload']);
  },
);

test('a body of 64 KB is read, and a longer body is refused', async () => {
  const bodyOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  expect(await post(bodyOf(65_536))).toEqual([200, 'ok']);
  expect(await post(bodyOf(65_537))).toEqual([413, 'payload_too_large']);
  expect(await post(' '.repeat(5_000_000))).toEqual([413, 'payload_too_large']);
});

test('methods other than GET and POST are refused with 405', async () => {
  expect((await fetch(inbox.url, { method: 'DELETE' })).status).toBe(405);
});

test('the last hundred messages are kept', async () => {
  for (let at = 0; at < 103; at += 1) await post(JSON.stringify({ text: `message ${at}` }));
  const lines = await kept();
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([100, ['message 3'], ['message 102']]);
});

test('a sender that does not end its message is disconnected, and a sender can disconnect at any time', async () => {
  await inbox[Symbol.asyncDispose]();
  inbox = await openInbox((box) => shown.push(box), 200);
  const { port, host, pathname } = new URL(inbox.url);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{"text":`;
  const slow = connect({ port: Number(port), host: '127.0.0.1' });
  slow.write(head);
  expect(await text(slow)).toContain('408 Request Timeout');
  const leaving = connect({ port: Number(port), host: '127.0.0.1' });
  leaving.write(head, () => leaving.destroy());
  expect(await post('{"text":"still here"}')).toEqual([200, 'ok']);
  expect(await kept()).toEqual([['still here']]);
});

test('the inbox closes at once, even in the middle of a message', async () => {
  await inbox[Symbol.asyncDispose]();
  inbox = await openInbox(() => {}, 120_000);
  const { port, host, pathname } = new URL(inbox.url);
  const slow = connect({ port: Number(port), host: '127.0.0.1' });
  slow.write(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{"text":`);
  const read = text(slow);
  await post('{"text":"one"}');
  const before = performance.now();
  await inbox[Symbol.asyncDispose]();
  expect(await read).toBe('');
  // The inbox waits up to two minutes for the rest of a message.
  expect(performance.now() - before).toBeLessThan(60_000);
  inbox = await openInbox(() => {});
});
