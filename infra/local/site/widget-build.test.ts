import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { build } from './widget-build.ts';

let folder: string;
let file: string;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-widget-'));
  file = join(folder, 'build.mjs');
  lines = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const say = (line: string) => lines.push(line);
const { signal } = new AbortController();

test('a build that succeeds reports nothing', async () => {
  await writeFile(file, 'console.log("built")');
  await build('widget', { say, signal, file });
  expect(lines).toEqual([]);
});

test.each([
  ['fails', 'throw new Error("no bundler here")', 'Error: no bundler here'],
  ['crashes', 'process.kill(process.pid, "SIGSEGV")', 'Error: Command failed'],
])('a build that %s is reported, and does not end the start', async (_how, source, reason) => {
  await writeFile(file, source);
  await build('widget', { say, signal, file });
  expect(lines).toEqual([expect.stringContaining(`could not be built, so pages have no chat: ${reason}`)]);
});

test('the apps run from bundles if these were built, and otherwise from their sources', async () => {
  await writeFile(file, 'console.log("built")');
  expect(await build('bundles', { say, signal, file })).toBe(true);
  await writeFile(file, 'throw new Error("no bundler here")');
  expect(await build('bundles', { say, signal, file })).toBe(false);
  expect(lines).toEqual([
    expect.stringContaining('could not be bundled, so they run from their sources: Error: no bundler'),
  ]);
});

test('a missing build program is reported, too', async () => {
  await build('widget', { say, signal, file });
  expect(lines).toEqual([expect.stringContaining('could not be built')]);
});

test('a build that takes too long is ended, and the report says so', async () => {
  await writeFile(file, 'setInterval(() => {}, 1_000)');
  await build('widget', { say, signal, file, maxMs: 500 });
  expect(lines).toEqual([
    expect.stringContaining('so pages have no chat: it took longer than 0.5 s. The next start tries again'),
  ]);
});

test('a stop ends a build that hangs, and reports nothing', async () => {
  await writeFile(file, 'setInterval(() => {}, 1_000)');
  const stop = new AbortController();
  const building = build('widget', { say, signal: stop.signal, file });
  stop.abort();
  await building;
  expect(lines).toEqual([]);
});
