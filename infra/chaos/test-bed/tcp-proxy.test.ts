import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from '@relata/testbed/until';

let server: Server;
let proxy: TcpProxy;
let clients: Socket[] = [];

beforeEach(async () => {
  // Echoes everything that it receives.
  server = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await TcpProxy.listen((server.address() as AddressInfo).port);
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await proxy[Symbol.asyncDispose]();
  server.close();
});

function open() {
  const socket = connect({ port: proxy.port, host: '127.0.0.1' });
  let [received, error] = ['', ''];
  socket.on('data', (piece) => (received += piece.toString()));
  socket.on('error', (cause: NodeJS.ErrnoException) => (error = cause.code ?? ''));
  clients.push(socket);
  return { say: (text: string) => socket.write(text), received: () => received, error: () => error };
}

test('bytes are forwarded in both directions', async () => {
  const client = open();
  client.say('hello');
  expect(await until('the echo', () => client.received() === 'hello')).toBe(true);
  expect(proxy.open).toBe(1);
});

test('a cut resets the connection, and the next one is opened as before', async () => {
  const client = open();
  client.say('hello');
  await until('the echo', () => client.received() !== '');
  proxy.cut();
  expect(await until('the reset', () => client.error() || undefined)).toBe('ECONNRESET');
  expect(proxy.open).toBe(0);
  const next = open();
  next.say('again');
  expect(await until('the echo', () => next.received() === 'again')).toBe(true);
});

test('a refusing proxy behaves like a closed port, and later accepts again on the same port', async () => {
  await proxy.refuse();
  const refused = open();
  expect(await until('the refusal', () => refused.error() || undefined)).toBe('ECONNREFUSED');
  await proxy.accept();
  const client = open();
  client.say('hello');
  expect(await until('the echo', () => client.received() === 'hello')).toBe(true);
});

test('a silenced proxy neither forwards data nor ends connections, old or new, until it is resumed', async () => {
  const old = open();
  old.say('1');
  await until('the echo', () => old.received() === '1');
  proxy.silence();
  const fresh = open();
  old.say('2');
  fresh.say('3');
  // Meanwhile, a connection to the same server through another proxy gets its echo.
  await using other = await TcpProxy.listen((server.address() as AddressInfo).port);
  const beside = connect({ port: other.port, host: '127.0.0.1' });
  clients.push(beside);
  beside.write('x');
  await once(beside, 'data');
  expect([old.received(), fresh.received(), old.error(), fresh.error()]).toEqual(['1', '', '', '']);
  proxy.resume();
  expect(await until('both echoes', () => old.received() === '12' && fresh.received() === '3')).toBe(true);
});

test('a connection that the server ends during a silence is ended for the client afterwards', async () => {
  const client = open();
  client.say('1');
  await until('the echo', () => client.received() === '1');
  proxy.silence();
  server.once('connection', (socket) => socket.resetAndDestroy());
  const refused = open();
  proxy.resume();
  expect(await until('the reset', () => refused.error() || undefined)).toBe('ECONNRESET');
});

test('a connection that the server refuses never counts as open', async () => {
  server.close();
  const client = open();
  let most = 0;
  while (client.error() === '') {
    await new Promise(setImmediate);
    most = Math.max(most, proxy.open);
  }
  expect(most).toBe(0);
});
