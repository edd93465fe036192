import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '@relata/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestChat, type TestChat } from './chat-gateway.harness.ts';
import { readWidget } from './widget.route.ts';

const script = `console.log(${JSON.stringify('x'.repeat(5_000))});`;
const licences = '=== preact ===';
let dir: string;
let chat: TestChat;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'relata-widget-'));
  await writeFile(join(dir, 'relata-chat.js'), script);
  await writeFile(join(dir, 'LICENSES.txt'), licences);
  chat = await startTestChat({ widget: await readWidget(createLog({ name: 'test', level: 'silent' }), dir) });
});
afterAll(async () => {
  await chat[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${chat.url}/v1/genie/widget.js`, { method, headers });

test('any page gets the script without a key', async () => {
  const answer = await get({ Origin: 'https://anywhere.example' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('javascript');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(await answer.text()).toBe(script);
});

test("the licences of the script's libraries are served as well", async () => {
  const answer = await fetch(`${chat.url}/v1/genie/LICENSES.txt`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await answer.text()).toBe(licences);
});

test('the script is compressed for clients that accept compression, and plain for others', async () => {
  const packed = await get({ 'Accept-Encoding': 'gzip' });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(Number(packed.headers.get('content-length'))).toBe(
    Number((await get({ 'Accept-Encoding': 'gzip' }, 'HEAD')).headers.get('content-length')),
  );
  expect(await packed.text()).toBe(script);
  const plain = await get({ 'Accept-Encoding': 'identity' });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(Number(plain.headers.get('content-length'))).toBe(script.length);
  expect(packed.headers.get('etag')).not.toBe(plain.headers.get('etag'));
});

test('a browser that has the current script gets 304', async () => {
  // Does not use `fetch`, which adds `no-cache` to conditional requests.
  const ask = async (headers: Record<string, string>) => {
    const [answer] = (await once(request(`${chat.url}/v1/genie/widget.js`, { headers }).end(), 'response')) as [
      IncomingMessage,
    ];
    return { status: answer.statusCode, etag: answer.headers.etag!, body: (await answer.toArray()).length };
  };
  const { etag } = await ask({});
  expect(await ask({ 'If-None-Match': etag })).toMatchObject({ status: 304, body: 0 });
  expect(await ask({ 'If-None-Match': '"another"' })).toMatchObject({ status: 200 });
});

test('any method but GET and HEAD is answered with 405, and a missing build with 404', async () => {
  const posted = await get({}, 'POST');
  expect(posted.status).toBe(405);
  expect(posted.headers.get('allow')).toBe('GET, HEAD');
  await using replica = await chat.startReplica({ widget: undefined });
  expect((await fetch(`${replica.url}/v1/genie/widget.js`)).status).toBe(404);
});
