import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
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

/** Returns the arguments with which Node runs a program that may call `oneAtATime`. */
const programOf = (text: string) => [
  '--input-type=module',
  '--eval',
  `import { existsSync } from 'node:fs';
   import { oneAtATime } from '${import.meta.dirname}/build-lock.ts';
   ${text}`,
];

/** Leaves the lock of a process that was killed while it worked. */
function killOwner(): void {
  const program = programOf(`await oneAtATime('${lock}', () => process.kill(process.pid, 'SIGKILL'));`);
  expect(spawnSync(process.execPath, program).signal).toBe('SIGKILL');
}

test('the lock of a killed process is ignored', async () => {
  killOwner();
  expect(await oneAtATime(lock, () => Promise.resolve('worked'))).toBe('worked');
  expect(await readdir(dirname(lock))).toEqual([basename(lock)]);
});

test('clearing the lock of a killed process does not clear a lock taken in the meantime', async () => {
  killOwner();
  const mayGoOn = join(folder, 'may-go-on');
  // After each check whether the owner is alive, this process pauses until the file `may-go-on` exists.
  const late = spawn(
    process.execPath,
    programOf(`
      const { kill } = process;
      process.kill = (...words) => {
        try {
          return kill.apply(process, words);
        } finally {
          console.log('judged');
          while (!existsSync('${mayGoOn}'));
        }
      };
      await oneAtATime('${lock}', () => console.log('worked'));`),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const said: string[] = [];
  const lines = createInterface(late.stdout)[Symbol.asyncIterator]();
  const next = async () => said.push(String((await lines.next()).value));
  await next();
  await oneAtATime(lock, async () => {
    await writeFile(mayGoOn, '');
    await next();
    expect(said).toEqual(['judged', 'judged']);
  });
  while (said.at(-1) !== 'worked') await next();
});

test('a lock that is older than any build is ignored', async () => {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = oneAtATime(lock, () => {
    begun.resolve();
    return mayEnd.promise;
  });
  await begun.promise;
  const [owner] = await readdir(lock);
  const hourAgo = Date.now() / 1_000 - 3_600;
  await utimes(join(lock, owner!), hourAgo, hourAgo);
  const next = oneAtATime(lock, async () => {
    mayEnd.resolve();
    await holding;
    return readdir(lock);
  });
  // The end of the first work does not release the lock of the second.
  expect(await next).toHaveLength(1);
});
