import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { shellCommand } from './shell-command.ts';

test('each part of a pasted command is one word, whatever characters it contains', async () => {
  const parts = [
    "https://x'; echo $HOME '",
    '$(id)',
    '`id`',
    'a b',
    '',
    '~',
    '!!',
    'line\nline',
    'https://a.example/?b&c',
  ];
  const { stdout } = await promisify(execFile)('bash', ['-c', shellCommand('printf', String.raw`%s\0`, ...parts)]);
  expect(stdout.split('\0').slice(0, -1)).toEqual(parts);
});
