import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { until } from '@relata/testing';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ShutdownState, serve } from './server.ts';

const readerTimeoutMs = 400;
/** A response that is larger than the buffers of both ends of the connection. */
const payload = Buffer.alloc(16_000_000, 'x');
const closed: string[] = [];

function* pieces() {
  for (let at = 0; at < payload.length; at += 10_000) yield payload.subarray(at, at + 10_000);
}

const app = express();
app.use((request, response, next) => {
  response.once('close', () => closed.push(request.url));
  next();
});
app.get('/large/:id', (_request, response) => void response.end(payload));
app.get('/slow', async (_request, response) => {
  await pause(4 * readerTimeoutMs);
  response.end('late');
});
app.get('/late/large', async (_request, response) => {
  await pause(4 * readerTimeoutMs);
  response.end(payload);
});
app.get('/streamed/large', (_request, response) => void pipeline(pieces(), response).catch(() => undefined));
app.get('/stream', async (_request, response) => {
  for (const part of ['first ', 'second ', 'third']) {
    response.write(part);
    await pause(2 * readerTimeoutMs);
  }
  response.end();
});

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve(app, { host: '127.0.0.1', port: 0, draining: new ShutdownState(), drainMs: 1, readerTimeoutMs });
});
afterAll(() => server[Symbol.asyncDispose]());

async function ask(...paths: string[]) {
  const { hostname, port } = new URL(server.url);
  const socket: Socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause().write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  return { socket, [Symbol.dispose]: () => socket.destroy() };
}

test.each(['/large/1', '/late/large', '/streamed/large'])('cuts off a client that reads nothing: %s', async (path) => {
  using _reader = await ask(path);
  await until(() => expect(closed).toContain(path), readerTimeoutMs * 50);
});

test('a slow but steady reader gets the whole answer', async () => {
  // Tries again, since a client on a stalled machine is cut off, too.
  await until(async () => {
    using reader = await ask('/large/2');
    let read = 0;
    reader.socket.on('data', (chunk: Buffer) => {
      read += chunk.length;
      reader.socket.pause();
      setTimeout(() => reader.socket.resume(), 5);
    });
    const askedAt = performance.now();
    reader.socket.resume();
    await until(() => expect(reader.socket.closed || read > payload.length).toBe(true));
    expect(read).toBeGreaterThan(payload.length);
    expect(performance.now() - askedAt).toBeGreaterThan(2 * readerTimeoutMs);
  });
});

test('does not cut off a client that waits for an answer, or for the rest of it', async () => {
  const texts = await Promise.all(['/slow', '/stream'].map(async (path) => (await fetch(server.url + path)).text()));
  expect(texts).toEqual(['late', 'first second third']);
});

test('closes a connection without a request', async () => {
  using idle = await ask();
  idle.socket.resume();
  await once(idle.socket, 'close');
  expect(idle.socket.bytesRead).toBe(0);
});

/** Opens connections in another thread, each with a request, and then wakes the thread that waits for it. */
const openConnections = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, count, opened } } = require('node:worker_threads');
  let [open, answered, left] = [0, 0, count];
  const onOpen = (socket) => socket.write('GET /large/1 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => {
    if (++open === count) Atomics.notify(opened, 0, Atomics.store(opened, 0, 1));
  });
  for (let at = 0; at < count; at++) {
    const socket = connect(port, '127.0.0.1', () => onOpen(socket));
    socket.once('data', () => { answered++; socket.destroy(); }).on('error', () => undefined);
    socket.once('close', () => --left || parentPort.postMessage(answered));
  }`;

test('a stopping server accepts and answers the connections that the kernel has already opened', async () => {
  const stopped = await serve(app, { host: '127.0.0.1', port: 0, draining: new ShutdownState(), drainMs: 1 });
  const [count, opened] = [30, new Int32Array(new SharedArrayBuffer(4))];
  const workerData = { port: Number(new URL(stopped.url).port), count, opened };
  const worker = new Worker(openConnections, { eval: true, workerData });
  const answered = once(worker, 'message');
  // Blocks this thread: the kernel opens the connections, and nothing accepts them.
  Atomics.wait(opened, 0, 0, 30_000);
  await stopped[Symbol.asyncDispose]();
  expect(await answered).toEqual([count]);
});
