import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** Runs code in a process that has a log. The process reports its end on standard error. */
function spawnLogging(code: string, stdio: StdioOptions) {
  const script = `
    import { text } from 'node:stream/consumers';
    import { setTimeout as pause } from 'node:timers/promises';
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    {
      using log = createLog({ name: 'test', level: 'info' });
      ${code}
    }
    console.error('end');`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio, timeout: 60_000 });
}

/**
 * Code that pauses for longer than the log delays its lines, so that the process sees the first write fail before it
 * logs again.
 */
const noticed = `log.info('before'); await pause(1_000); log.info('after')`;

test.for([
  ['continues without its log', noticed],
  ['continues without a log of many lines', `for (let n = 0; n < 20_000; n++) log.info('line'); ${noticed}`],
  ['ends if only its last line is refused', `log.info('last')`],
  ['ends after a fatal line', `log.fatal('fatal')`],
  ['can exit at once', `log.info('last'); process.on('exit', () => console.error('end')); process.exit()`],
])('a process on a full disk %s', async ([, code], context) => {
  context.skip(!existsSync('/dev/full'), 'needs /dev/full');
  await using full = await open('/dev/full', 'w');
  const child = spawnLogging(code!, ['ignore', full.fd, 'pipe']);
  const [[status], said] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
  expect({ status, said }).toEqual({ status: 0, said: 'end\n' });
});

test('a process ends even if the reader of its log has gone', async () => {
  const child = spawnLogging(`await text(process.stdin); log.info('unread')`, 'pipe');
  child.stdout!.destroy();
  await once(child.stdout!, 'close');
  child.stdin!.end();
  const [[status], said] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
  expect({ status, said }).toEqual({ status: 0, said: 'end\n' });
});

test('lines that still wait when a process ends are written', async () => {
  const child = spawnLogging(`for (let n = 0; n < 1_000; n++) log.info({ n }, 'line')`, ['ignore', 'pipe', 'ignore']);
  const [[status], lines] = await Promise.all([once(child, 'close'), text(child.stdout!)]);
  expect(status).toBe(0);
  const numbers = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).n as number);
  // Lines that were already being written when the process ended may follow those that it wrote last.
  expect(numbers.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 1_000 }).keys()]);
});
