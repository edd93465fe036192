import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTriggered } from './webhook-ingest.harness.ts';

let receiver: Awaited<ReturnType<typeof startTriggered>>;
beforeAll(async () => void (receiver = await startTriggered()));
afterAll(() => receiver[Symbol.asyncDispose]());

/** Opens a connection, and collects all data that it receives. */
async function open() {
  const { hostname, port } = new URL(receiver.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let heard = '';
  socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
  await once(socket, 'connect');
  return { socket, heard: () => heard, [Symbol.dispose]: () => socket.destroy() };
}

const head = (...headers: string[]) =>
  [`POST /webhooks/trigger/${receiver.trigger.id} HTTP/1.1`, 'Host: relata', ...headers, '', ''].join('\r\n');

/** Writes up to `bytesMax` bytes as long as the other side accepts them. Returns the number of bytes written. */
async function pour(socket: Socket, bytesMax: number): Promise<number> {
  const chunk = Buffer.alloc(65_536, 'x');
  let written = 0;
  while (!socket.destroyed && written < bytesMax) {
    written += chunk.length;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
  return written;
}

test('a refused client cannot send a large body', async () => {
  using line = await open();
  line.socket.write(head('Content-Length: 1000000000'));
  await expect.poll(line.heard).toMatch(/^HTTP\/1.1 401 .*"missing or invalid webhook secret"/s);
  expect(await pour(line.socket, 1_000_000_000)).toBeLessThan(100_000_000);
  expect(line.heard().match(/HTTP\/1.1/g)).toHaveLength(1);
});

test('100 Continue is sent only to clients whose body will be read', async () => {
  using stranger = await open();
  stranger.socket.write(head('Expect: 100-continue', 'Content-Length: 2'));
  await expect.poll(stranger.heard).toMatch(/^HTTP\/1.1 401 /);
  using large = await open();
  large.socket.write(
    head(`X-Webhook-Secret: ${receiver.trigger.secret}`, 'Expect: 100-continue', 'Content-Length: 524289'),
  );
  await expect.poll(large.heard).toMatch(/^HTTP\/1.1 413 /);
  using known = await open();
  known.socket.write(head(`X-Webhook-Secret: ${receiver.trigger.secret}`, 'Expect: 100-continue', 'Content-Length: 2'));
  await expect.poll(known.heard).toMatch(/^HTTP\/1.1 100 /);
  known.socket.write('{}');
  await expect.poll(known.heard).toMatch(/HTTP\/1.1 202 .*\{"received":true\}$/s);
});

test('a request that is not HTTP is answered with only the error in the body', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    head('Expect: banana'),
    head('x: ' + 'x'.repeat(20_000)),
    'GET / HTTP/1.1\r\n\r\n',
  ]) {
    using line = await open();
    line.socket.write(bytes);
    await expect.poll(line.heard).toMatch(/^HTTP\/1.1 4\d\d .*\r\n\r\n\{"error":"[^"]+"\}$/s);
  }
});
