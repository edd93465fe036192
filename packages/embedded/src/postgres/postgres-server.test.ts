import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isRunning } from '../process/leftover-process.ts';
import { startPostgres, type PostgresServer } from './postgres-server.ts';

const isRoot = process.getuid?.() === 0;
let folder: string;
let started: PostgresServer[] = [];

// All tests share a folder, because creating it takes longer than everything else.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-postgres-'));
  await chmod(folder, 0o755);
});

afterEach(async () => {
  await Promise.all(started.map((server) => server.stop()));
  started = [];
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function start(options: { dataDir?: string; port?: number } = {}): Promise<PostgresServer> {
  const server = await startPostgres({ dataDir: join(folder, 'data'), ...options });
  started.push(server);
  return server;
}

const protocolVersion3 = 196_608;

/** Returns the response of PostgreSQL to the first message of a client: a request for the password, or an error. */
async function databaseAnswers(url: string): Promise<'authentication' | 'error'> {
  const { hostname, port, username, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    const body = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
    const head = Buffer.alloc(8);
    head.writeInt32BE(head.length + body.length, 0);
    head.writeInt32BE(protocolVersion3, 4);
    socket.write(Buffer.concat([head, body]));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString('latin1', 0, 1) === 'R' ? 'authentication' : 'error';
  } finally {
    socket.destroy();
  }
}

test('PostgreSQL initialises a new folder as a database that requires its password', async () => {
  const server = await start();
  expect(await databaseAnswers(server.url)).toBe('authentication');
  expect(server.url).toMatch(/^postgres:\/\/relata:[\w-]{32}@127\.0\.0\.1:\d+\/relata$/);
  expect((await stat(join(server.dataDir, 'relata.password'))).mode & 0o777).toBe(0o600);
});

test('PostgreSQL keeps data and password between starts', async () => {
  const first = await start();
  const identity = await readFile(join(first.dataDir, 'global', 'pg_control'));
  await first.stop();
  const second = await start();
  const again = await readFile(join(second.dataDir, 'global', 'pg_control'));
  expect(again.subarray(0, 8)).toEqual(identity.subarray(0, 8));
  expect(new URL(second.url).password).toBe(new URL(first.url).password);
});

test('PostgreSQL stops cleanly, and its exit is reported', async () => {
  const server = await start();
  await server.stop();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(await readFile(join(server.dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down');
});

test('PostgreSQL starts again after its process was killed', async () => {
  const first = await start();
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const second = await start({ port: Number(new URL(first.url).port) });
  expect(second.url).toBe(first.url);
});

test('a stale process id that now belongs to another process does not prevent the start of PostgreSQL', async () => {
  const first = await start();
  await first.stop();
  await writeFile(join(first.dataDir, 'postmaster.pid'), `${process.pid}\n${first.dataDir}\n`);
  const second = await start();
  expect(await databaseAnswers(second.url)).toBe('authentication');
});

test('a PostgreSQL that outlived its supervisor is stopped and replaced', async () => {
  const leftover = await start();
  const next = await start();
  expect(next.pid).not.toBe(leftover.pid);
  expect(await leftover.exited).toEqual({ code: 0, signal: null });
});

test('PostgreSQL ends soon after its supervisor was killed', async (context) => {
  context.skip(process.platform !== 'linux', 'needs Linux');
  const script = `
    import { startPostgres } from ${JSON.stringify(join(import.meta.dirname, '..', 'index.ts'))};
    const server = await startPostgres({ dataDir: ${JSON.stringify(join(folder, 'data'))} });
    console.log(server.pid);
    setInterval(() => {}, 1000);`;
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(supervisor.stdout, 'data')) as [Buffer];
  supervisor.kill('SIGKILL');
  await vi.waitFor(async () => expect(await isRunning(Number(line), ['postgres'])).toBe(false), { timeout: 60_000 });
});

test('leftovers of a killed initialisation are removed by the next one', async () => {
  await mkdir(join(folder, 'other.making-abc'));
  await start({ dataDir: join(folder, 'other') });
  await expect(stat(join(folder, 'other.making-abc'))).rejects.toThrow('ENOENT');
});

test('a data folder of another version is refused with advice', async () => {
  const dataDir = join(folder, 'old');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'PG_VERSION'), '17\n');
  await expect(start({ dataDir })).rejects.toThrow(/PostgreSQL 17, .*npm start -- --fresh/);
});

test('a folder with other files is refused and not changed', async () => {
  await expect(start({ dataDir: folder })).rejects.toThrow('holds no PostgreSQL data');
});

test('a start that is aborted leaves no process', async () => {
  const stop = new AbortController();
  const starting = startPostgres({ dataDir: join(folder, 'data'), signal: stop.signal });
  stop.abort(new Error('stop asked for'));
  await expect(starting).rejects.toThrow('stop asked for');
});

test('a port in use is an error with the last lines of the log', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await expect(start({ port })).rejects.toThrow(/ended while starting[^]*in use/);
  other.close();
});

test('PostgreSQL runs below a folder that only root can enter', async (context) => {
  context.skip(!isRoot, 'needs root');
  await chmod(folder, 0o700);
  const server = await start({ dataDir: join(folder, 'shut') });
  expect(await databaseAnswers(server.url)).toBe('authentication');
  expect((await stat(server.dataDir)).uid).not.toBe(0);
});
