import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneAtATime } from './build-lock.ts';

let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relata-lock-'));
  lock = join(folder, 'new/build.lock');
});
afterEach(() => rm(folder, { recursive: true }));

test('concurrent callers work one after another, and one that fails releases the lock', async () => {
  let working = 0;
  const most = await Promise.allSettled(
    Array.from({ length: 4 }, (_, at) =>
      oneAtATime(lock, async () => {
        const beside = working++;
        await turn();
        working--;
        if (at === 1) throw new Error('This one fails.');
        return beside;
      }),
    ),
  );
  expect(most.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    0,
    'Error: This one fails.',
    0,
    0,
  ]);
});

test.each([
  ['of a process that has ended', () => String(spawnSync(process.execPath, ['--version']).pid), Date.now()],
  ['whose owner was cut off before it wrote its id', () => '', Date.now() - 3_600_000],
  ['that is older than any build', () => String(process.pid), Date.now() - 3_600_000],
])('a lock %s is ignored', async (_which, owner, at) => {
  lock = join(folder, 'build.lock');
  await writeFile(lock, owner());
  await utimes(lock, at / 1_000, at / 1_000);
  expect(await oneAtATime(lock, () => Promise.resolve('worked'))).toBe('worked');
});
