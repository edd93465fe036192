import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '@relata/testing';
import express from 'express';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { boundDrain, drainingMax } from './drain.ts';
import { ShutdownState, serve } from '../server/server.ts';

const bodyBytes = 1_000_000;
const app = express();
const sockets: Socket[] = [];
let refusing = Promise.resolve();
app.post('/', async (request, response) => {
  if (!sockets.includes(request.socket)) sockets.push(request.socket);
  await refusing;
  boundDrain(response);
  response.writeHead(503, { 'Content-Length': 0 }).end();
});

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  // Stops the clock: on a stalled machine, the time limit of the drain could pass before a body is read.
  vi.useFakeTimers({ toFake: ['performance'] });
  server = await serve(app, { host: '127.0.0.1', port: 0, draining: new ShutdownState(), drainMs: 1 });
});
afterAll(async () => {
  vi.useRealTimers();
  await server[Symbol.asyncDispose]();
});

/** Sends a complete body and then a second request; returns when both have been answered. */
async function send(): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket: Socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n\r\n`);
  socket.write(Buffer.alloc(bodyBytes, 'x'));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
  await until(() => expect(text.match(/ 503 /g)).toHaveLength(2));
  socket.destroy();
  return text;
}

test('the rest of a refused body is skipped, and its connection serves the next request', async () => {
  expect(await send()).toMatch(/^HTTP/);
});

test('many bodies refused at once are drained in turns, without blocking the event loop', async () => {
  const { promise, resolve: refuse } = Promise.withResolvers<void>();
  refusing = promise;
  sockets.length = 0;
  const sending = Array.from({ length: 100 }, send);
  await until(() => expect(sockets).toHaveLength(100));
  let before = bytesRead();
  let mostInOneTurn = 0;
  refuse();
  while (before < 100 * bodyBytes && sockets.some(({ destroyed }) => !destroyed)) {
    await turn();
    mostInOneTurn = Math.max(mostInOneTurn, bytesRead() - before);
    before = bytesRead();
  }
  await Promise.all(sending);
  expect(mostInOneTurn).toBeLessThan(10_000_000);
});

test('only a bounded number of refused bodies is drained, the newest among them; other connections are closed', async () => {
  const { promise, resolve: refuse } = Promise.withResolvers<void>();
  refusing = promise;
  sockets.length = 0;
  const { hostname, port } = new URL(server.url);
  const open = Array.from({ length: drainingMax + 200 }, () =>
    connect(Number(port), hostname).on('error', () => undefined),
  );
  for (const socket of open) socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bodyBytes}\r\n\r\nx`);
  await until(() => expect(sockets).toHaveLength(open.length));
  refuse();
  await until(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(200));
  refusing = Promise.resolve();
  expect(await send()).toMatch(/^HTTP/);
  for (const socket of open) socket.destroy();
});

const bytesRead = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
