import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createOrganization } from '@relata/auth';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post, startReceiver } from './webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => void (receiver = await startReceiver({ rateLimit: { points: 300, windowMs: 600_000 } })));
afterAll(() => receiver[Symbol.asyncDispose]());

interface TestTrigger {
  id: string;
  secret: string;
}

async function newTrigger(orgId = receiver.orgId): Promise<TestTrigger> {
  const { trigger, secret } = await receiver.createUniqueTrigger(orgId);
  return { id: trigger.id, secret };
}

const largeBody = Buffer.from(`{"a":"${'x'.repeat(524_280)}"}`);
const send = ({ id, secret }: TestTrigger, body: string | Buffer = largeBody, headers = {}) =>
  post(receiver.url, id, { secret, body: new Uint8Array(Buffer.from(body)), headers });

interface Unfinished {
  body?: Buffer;
  /** Number of bytes to send; by default all except the last. */
  bytes?: number;
  headers?: string[];
}

/** Starts a post without sending its end, and collects the response. */
async function unfinishedPost({ id, secret }: TestTrigger, { body = largeBody, bytes, headers = [] }: Unfinished = {}) {
  const { hostname, port } = new URL(receiver.url);
  const socket: Socket = connect(Number(port), hostname).on('error', () => undefined);
  let response = '';
  socket.setEncoding('latin1').on('data', (text: string) => (response += text));
  await once(socket, 'connect');
  const head = [`POST /webhooks/trigger/${id} HTTP/1.1`, 'Host: x', `X-Webhook-Secret: ${secret}`];
  socket.write([...head, ...headers, `Content-Length: ${body.length}`, '', ''].join('\r\n'));
  socket.write(body.subarray(0, bytes ?? body.length - 1));
  return { socket, response: () => response, [Symbol.dispose]: () => socket.destroy() };
}

test('128 unfinished posts to one trigger leave room for every other trigger', async () => {
  const flooded = await newTrigger();
  const { id: otherOrgId } = await createOrganization(receiver.db.database, 'Globex');
  const others = [await newTrigger(), await newTrigger(otherOrgId)];
  using stack = new DisposableStack();
  const posts = await Promise.all(Array.from({ length: 128 }, () => unfinishedPost(flooded)));
  for (const unfinished of posts) stack.use(unfinished);
  const isRefused = ({ response }: (typeof posts)[number]) => / 503 .*Retry-After: 1\r/s.test(response());
  // A quarter of the budget for bodies has room for 34 of them.
  await until(() => expect(posts.filter(isRefused)).toHaveLength(94));
  for (const other of others) {
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(other)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202));
  }
  for (const { socket } of posts) socket.destroy();
  await until(async () => expect((await send(flooded)).status).toBe(202));
});

test('a body that stalls is answered with 408 long before the request timeout, and releases its bytes', async () => {
  const target = await newTrigger();
  const sentAt = performance.now();
  using silent = await unfinishedPost(target, { bytes: 0 });
  using stalled = await unfinishedPost(target);
  using trickling = await unfinishedPost(target, { bytes: 1 });
  const trickle = setInterval(() => trickling.socket.write('x'), 100);
  for (const slow of [silent, stalled, trickling])
    await expect.poll(slow.response).toMatch(/^HTTP\/1.1 408 .*\r\n\r\n\{"error":"[^"]+"\}$/s);
  clearInterval(trickle);
  expect(performance.now() - sentAt).toBeLessThan(25_000);
  for (const { socket } of [silent, stalled, trickling]) if (!socket.closed) await once(socket, 'close');
  const accepted = await Promise.all(Array.from({ length: 300 }, () => send(target, '{}')));
  expect(accepted.filter(({ status }) => status !== 202)).toEqual([]);
});

test('a slow but steady body is accepted', async () => {
  const target = await newTrigger();
  using steady = await unfinishedPost(target, { bytes: 0 });
  for (let at = 0; at < largeBody.length; at += 40_000) {
    steady.socket.write(largeBody.subarray(at, at + 40_000));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await expect.poll(steady.response).toMatch(/^HTTP\/1.1 202 /);
});

test('256 small compressed posts that are completed at the same moment are all accepted', async () => {
  const target = await newTrigger();
  const body = gzipSync('{"email":"ada@example.com"}');
  using stack = new DisposableStack();
  const unfinished = () => unfinishedPost(target, { body, headers: ['Content-Encoding: gzip'] });
  const posts = await Promise.all(Array.from({ length: 256 }, unfinished));
  for (const { socket } of posts.map((each) => stack.use(each))) socket.write(body.subarray(-1));
  const heads = () => posts.map(({ response }) => response().slice(0, 13));
  await until(() => expect(new Set(heads())).toEqual(new Set(['HTTP/1.1 202 '])));
});

test('64 simultaneous decompression bombs are refused as too large, and another trigger is not affected', async () => {
  const [target, other] = [await newTrigger(), await newTrigger()];
  const bomb = gzipSync(Buffer.alloc(100_000_000, ' '));
  const headers = { 'content-encoding': 'gzip' };
  const bombs = Promise.all(Array.from({ length: 64 }, () => send(target, bomb, headers)));
  const responses = await Promise.all(Array.from({ length: 16 }, () => send(other, '{}')));
  expect(responses.filter(({ status }) => status !== 202)).toEqual([]);
  expect(new Set((await bombs).map(({ status }) => status))).toEqual(new Set([413]));
  expect((await send(target, bomb, headers)).status).toBe(413);
});
