import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNats, type NatsServer } from './nats-server.ts';

// Folder of `npm start`, so that a machine without a server fetches it once.
const binDir = join(import.meta.dirname, '../../../../.local/bin');
let folder: string;
let started: NatsServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-nats-'));
});

afterEach(async () => {
  await Promise.all(started.map((server) => server.stop()));
  started = [];
  await rm(folder, { recursive: true, force: true });
});

async function start(options: { port?: number; token?: string } = {}): Promise<NatsServer> {
  const server = await startNats({ storeDir: join(folder, 'store'), binDir, ...options });
  started.push(server);
  return server;
}

async function greeting(url: string): Promise<Greeting> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const [line] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return JSON.parse(line.toString().replace('INFO ', '')) as Greeting;
}

interface Greeting {
  jetstream?: boolean;
  host?: string;
  auth_required?: boolean;
}

test('NATS offers JetStream only on 127.0.0.1', async () => {
  const server = await start();
  expect(await greeting(server.url)).toMatchObject({ jetstream: true, host: '127.0.0.1' });
  expect((await stat(join(server.storeDir, 'jetstream'))).isDirectory()).toBe(true);
});

test('with a token NATS refuses clients without it, and only the owner can read the file with the token', async () => {
  const token = '12e4-only_a_test';
  const server = await start({ token });
  expect(await greeting(server.url)).toMatchObject({ auth_required: true });
  expect(server.url).toContain(`nats://${token}@127.0.0.1:`);
  const config = join(server.storeDir, 'nats.conf');
  expect((await stat(config)).mode & 0o777).toBe(0o600);
  expect(await readFile(config, 'utf8')).toContain(token);
  // Only Linux has this file.
  expect(await readFile(`/proc/${server.pid}/cmdline`, 'utf8').catch(() => '')).not.toContain(token);
  expect(await readFile(join(server.storeDir, 'nats.log'), 'utf8')).not.toContain(token);
});

test('NATS stops on request, and its exit is reported', async () => {
  const server = await start();
  await server.stop();
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test('NATS starts again on its port after its process was killed', async () => {
  const first = await start();
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const second = await start({ port: Number(new URL(first.url).port) });
  expect(second.url).toBe(first.url);
});

test('a NATS server that outlived its supervisor is stopped and replaced', async () => {
  const leftover = await start();
  const next = await start();
  expect(next.pid).not.toBe(leftover.pid);
  expect(await leftover.exited).toEqual({ code: 0, signal: null });
});
