import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stackProgram, takeStackLock } from './stack-lock.ts';

let folder: string;
let path: string;
let other: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-lock-'));
  path = join(folder, 'stack.lock');
});

afterEach(async () => {
  other?.kill();
  await rm(folder, { recursive: true, force: true });
});

test('a second stack is refused with the process id of the first', async () => {
  // The command line distinguishes a stack from another process with the same id.
  other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', stackProgram]);
  await once(other, 'spawn');
  await writeFile(path, String(other.pid));
  await expect(takeStackLock(path)).rejects.toThrow(`already running (process ${other.pid})`);
});

test('the lock of a shell that starts a stack is ignored', async () => {
  other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'infra/local/main.ts']);
  await once(other, 'spawn');
  await writeFile(path, String(other.pid));
  await using lock = await takeStackLock(path);
  expect(lock).toBeDefined();
});

test('a lock can be taken in a folder that was deleted (found A8)', async () => {
  await using lock = await takeStackLock(join(folder, '.local/stack.lock'));
  expect(lock).toBeDefined();
  expect(await readdir(join(folder, '.local'))).toEqual(['stack.lock']);
});

test.each([
  ['a process that is gone', '4194304'],
  ['a process that is something else', String(process.ppid)],
  ['nobody', ''],
])('the lock of %s is ignored', async (_, owner) => {
  await writeFile(path, owner);
  await using lock = await takeStackLock(path);
  expect(lock).toBeDefined();
  expect(await readdir(folder)).toEqual(['stack.lock']);
});

test('a lock that was released can be taken', async () => {
  const lock = await takeStackLock(path);
  await lock[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
});
