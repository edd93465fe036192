import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type StackFile, StackPublication } from './stack-file.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-stack-'));
  path = join(folder, 'stack.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function stackOf(pid: number): StackFile {
  const service = { url: 'http://127.0.0.1:1', pid };
  return {
    base_url: 'http://127.0.0.1:8080',
    pid,
    services: {
      'records-api': service,
      'chat-gateway': service,
      console: service,
      'webhook-ingest': service,
      'workflow-worker': service,
    },
    console: { url: 'http://127.0.0.1:8080/console' },
    postgres: { url: 'postgres://127.0.0.1/relata', app_url: 'postgres://127.0.0.1/relata' },
    nats: { url: 'nats://127.0.0.1' },
    organizations: [],
  };
}

test('only its owner can read stack.json, because it contains keys', async () => {
  const publication = new StackPublication(path, () => stackOf(1));
  await publication.publish();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['stack.json']);
});

test('stack.json shows a new process id after a refresh', async () => {
  let pid = 1;
  const publication = new StackPublication(path, () => stackOf(pid));
  await publication.publish();
  pid = 2;
  await publication.refresh();
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(stackOf(2));
});

test('stack.json is written neither before all processes are ready nor after the stop began', async () => {
  const publication = new StackPublication(path, () => stackOf(1));
  await publication.refresh();
  expect(await readdir(folder)).toEqual([]);
  await publication.publish();
  await publication[Symbol.asyncDispose]();
  await publication.refresh();
  expect(await readdir(folder)).toEqual([]);
});
