import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '@relata/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../webhook-ingest.harness.ts';
import { postHeaders, type SignedTrigger, startSignedReceiver } from './signed.harness.ts';

let receiver: Awaited<ReturnType<typeof startSignedReceiver>>;
beforeAll(async () => void (receiver = await startSignedReceiver({ proxies: 1 })));
afterAll(() => receiver[Symbol.asyncDispose]());

const megabyte = 1_048_576;
const largeBody = Buffer.from(`{"a":"${'x'.repeat(524_280)}"}`);
/** A well-formed signature that is wrong for every body. */
const wrong = `sha256=${'0'.repeat(64)}`;

interface Stranger {
  id: string;
  ip: string;
  /** True if the last byte is not sent. */
  isUnfinished?: boolean;
}

/** Sends a large post with a wrong signature, and collects the response. */
async function strange({ id, ip, isUnfinished = false }: Stranger) {
  const { hostname, port } = new URL(receiver.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let response = '';
  socket.setEncoding('latin1').on('data', (text: string) => (response += text));
  await once(socket, 'connect');
  const head = [`POST /webhooks/trigger/${id} HTTP/1.1`, 'Host: x', `X-Forwarded-For: ${ip}`];
  socket.write([...head, `X-Hub-Signature-256: ${wrong}`, `Content-Length: ${largeBody.length}`, '', ''].join('\r\n'));
  socket.write(isUnfinished ? largeBody.subarray(0, -1) : largeBody);
  return { socket, status: () => response.slice(9, 12), [Symbol.dispose]: () => socket.destroy() };
}

const send = (target: SignedTrigger, body: string | Buffer, ip: string) =>
  post(receiver.url, target.id, {
    body: new Uint8Array(Buffer.from(body)),
    headers: { ...postHeaders(target, { body }), 'x-forwarded-for': ip },
  });

const statusesOf = async (posts: Promise<{ status: number }>[]) =>
  new Set((await Promise.all(posts)).map(({ status }) => status));

test('unfinished bodies of strangers at one address leave room for all other addresses, and for small bodies of that address', async () => {
  const [flooded, other] = [
    await receiver.newSignedTrigger({ kind: 'github' }),
    await receiver.newSignedTrigger({ kind: 'github' }),
  ];
  using stack = new DisposableStack();
  const one = () => strange({ id: flooded.id, ip: '192.0.2.1', isUnfinished: true });
  const strangers = await Promise.all(Array.from({ length: 200 }, one));
  for (const stranger of strangers) stack.use(stranger);
  // There is memory for 85 bodies, and the address may have a quarter of it. The other bodies are refused at once.
  await until(() => expect(strangers.filter(({ status }) => status() === '503')).toHaveLength(179));
  const many = (make: () => Promise<{ status: number }>) => statusesOf(Array.from({ length: 8 }, make));
  expect(await many(() => send(flooded, largeBody, '192.0.2.2'))).toEqual(new Set([202]));
  expect(await many(() => send(other, '{}', '192.0.2.1'))).toEqual(new Set([202]));
  expect(await many(() => send(flooded, '{}', '192.0.2.1'))).toEqual(new Set([202]));
  for (const { socket } of strangers) socket.destroy();
  await until(async () => expect((await send(flooded, largeBody, '192.0.2.1')).status).toBe(202));
});

test('S.3: unfinished bodies of strangers at many addresses, which use up all room for large bodies, leave room for small bodies', async () => {
  const [flooded, other] = [
    await receiver.newSignedTrigger({ kind: 'github' }),
    await receiver.newSignedTrigger({ kind: 'github' }),
  ];
  using stack = new DisposableStack();
  const one = (_: unknown, at: number) => strange({ id: flooded.id, ip: `192.0.2.${at}`, isUnfinished: true });
  const strangers = await Promise.all(Array.from({ length: 200 }, one));
  for (const stranger of strangers) stack.use(stranger);
  await until(() => expect(strangers.filter(({ status }) => status() === '503')).toHaveLength(115));
  const small = `{"a":"${'x'.repeat(32_760)}"}`;
  const many = (target: SignedTrigger) =>
    statusesOf(Array.from({ length: 8 }, () => send(target, small, '198.51.100.1')));
  expect([await many(flooded), await many(other)]).toEqual([new Set([202]), new Set([202])]);
  expect((await send(flooded, largeBody, '198.51.100.1')).status).toBe(503);
});

test('S.3: hundreds of complete bodies of strangers at many addresses take limited memory, and verified posts are served', async () => {
  const flooded = await receiver.newSignedTrigger({ kind: 'github' });
  using stack = new DisposableStack();
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
  stack.defer(() => clearInterval(watch));
  const strangers = await Promise.all(
    Array.from({ length: 600 }, (_, i) => strange({ id: flooded.id, ip: `192.0.2.${i % 200}` })),
  );
  for (const stranger of strangers) stack.use(stranger);
  const served: number[] = [];
  while (strangers.some(({ status }) => status() === ''))
    served.push((await send(flooded, '{"a":1}', '198.51.100.1')).status);
  expect(strangers.filter(({ status }) => !['401', '503'].includes(status()))).toEqual([]);
  expect(served.filter((status) => status !== 202)).toEqual([]);
  expect(served.length).toBeGreaterThan(0);
  // The total of all bodies is 300 MB.
  expect(most).toBeLessThan(150 * megabyte);
});

test('one address cannot open more than its share of bodies, even if they are small', async () => {
  // The test has its own receiver, since bodies of other tests might still count.
  await using fresh = await startSignedReceiver({ proxies: 1 });
  const flooded = await fresh.newSignedTrigger({ kind: 'github' });
  const { hostname, port } = new URL(fresh.url);
  using stack = new DisposableStack();
  const responses: string[] = [];
  for (let i = 0; i < 600; i++) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    stack.defer(() => socket.destroy());
    socket.setEncoding('latin1').once('data', (text: string) => responses.push(text.slice(9, 12)));
    const head = `POST /webhooks/trigger/${flooded.id} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.9\r\n`;
    socket.write(`${head}X-Hub-Signature-256: ${wrong}\r\nContent-Length: 2\r\n\r\n{`);
  }
  // The address may have a quarter of 2,048 bodies, each for up to 30 s. So 88 of its 600 posts are refused.
  await until(() => expect(responses.length).toBeGreaterThanOrEqual(88));
  expect(responses).toEqual(Array.from({ length: 88 }, () => '503'));
  const { status } = await post(fresh.url, flooded.id, {
    body: '{}',
    headers: { ...postHeaders(flooded, { body: '{}' }), 'x-forwarded-for': '192.0.2.10' },
  });
  expect(status).toBe(202);
});

test('strangers cannot keep the slots for large bodies by sending them slowly', async () => {
  const target = await receiver.newSignedTrigger({ kind: 'github' });
  const { hostname, port } = new URL(receiver.url);
  using stack = new DisposableStack();
  const slow = Array.from({ length: 8 }, (_, i) => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    stack.defer(() => socket.destroy());
    let response = '';
    socket.setEncoding('latin1').on('data', (text: string) => (response += text));
    const head = [`POST /webhooks/trigger/${target.id} HTTP/1.1`, 'Host: x', `X-Forwarded-For: 192.0.2.${10 + i}`];
    socket.write([...head, `X-Hub-Signature-256: ${wrong}`, 'Content-Length: 5000000', '', ''].join('\r\n'));
    const sending = setInterval(() => socket.write(Buffer.alloc(8_192, ' ')), 1_000);
    stack.defer(() => clearInterval(sending));
    return { response: () => response };
  });
  const large = `{"a":"${'x'.repeat(600_000)}"}`;
  const ended = () => slow.filter(({ response }) => response().startsWith('HTTP/1.1 408'));
  await until(() => expect(ended().length).toBeGreaterThanOrEqual(4));
  expect((await send(target, large, '192.0.2.99')).status).toBe(202);
});
