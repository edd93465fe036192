import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { type ArrivalBounds, Arrivals } from './arrivals.ts';

/** Opens a server that counts received bytes, and answers each request with its path. */
async function openServer(stack: DisposableStack, bounds: ArrivalBounds) {
  const server = createServer();
  const arrivals = new Arrivals(server, bounds);
  const paths: string[] = [];
  server.on('request', (request, response) => {
    arrivals.end(request.socket);
    paths.push(request.url!);
    response.end(request.url);
  });
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => {
    server.close();
    for (const socket of accepted) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
    stack.defer(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { open, paths, accepted };
}

const ask = (socket: Socket, path: string) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
const times = <Made>(count: number, make: (at: number) => Made) => Array.from({ length: count }, (_, at) => make(at));
const openBounds = { readingMax: 4, waitingMax: 1_000 };

test('many concurrent connections are all served, also with a second request', async () => {
  using stack = new DisposableStack();
  const { open, paths } = await openServer(stack, openBounds);
  const sockets = await Promise.all(times(200, () => open()));
  for (const turn of ['first', 'second']) {
    for (const [at, socket] of sockets.entries()) ask(socket, `/${turn}/${at}`);
    await until(() => expect(paths.filter((path) => path.startsWith(`/${turn}/`))).toHaveLength(200));
  }
});

test('no more connections than allowed are read at once, until each has sent its request', async () => {
  using stack = new DisposableStack();
  const { open, accepted } = await openServer(stack, openBounds);
  const sockets = await Promise.all(times(40, () => open()));
  let most = 0;
  for (const socket of sockets) socket.write('GET /');
  const started = performance.now();
  await until(() => {
    most = Math.max(most, accepted.filter((socket) => !socket.isPaused()).length);
    // By then each connection has had a turn, and some have had several.
    expect(performance.now() - started).toBeGreaterThan(300);
    expect(accepted.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
  });
  expect(most).toBe(openBounds.readingMax);
});

test('connections that send nothing delay nobody', async () => {
  using stack = new DisposableStack();
  const { open, paths } = await openServer(stack, openBounds);
  await Promise.all(times(100, () => open()));
  const last = await open();
  ask(last, '/last');
  await until(() => expect(paths).toEqual(['/last']));
});

test('a connection from another address does not wait for a whole burst', async () => {
  using stack = new DisposableStack();
  const { open, paths, accepted } = await openServer(stack, openBounds);
  const silent = await Promise.all(times(400, () => open('127.0.0.2')));
  const other = await open('127.0.0.3');
  await until(() => expect(accepted).toHaveLength(401));
  for (const [at, socket] of silent.entries()) ask(socket, `/burst/${at}`);
  ask(other, '/other');
  await until(() => expect(paths).toHaveLength(401));
  expect(paths.indexOf('/other')).toBeLessThan(200);
});

test('connections beyond the waiting limit are closed, while another address can still connect', async () => {
  using stack = new DisposableStack();
  const { open, paths, accepted } = await openServer(stack, { readingMax: 4, waitingMax: 20 });
  const burst = await Promise.all(times(60, () => open('127.0.0.2')));
  // Four connections are being read, and ten more of this address may wait: half of the waiting limit. A silent
  // connection may also be closed after its turn.
  await until(() => expect(burst.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(60 - 4 - 10));
  const other = await open('127.0.0.3');
  ask(other, '/other');
  await until(() => expect(paths).toEqual(['/other']));
  expect(accepted.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(4);
});
