import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliError } from '../../output/cli.error.ts';
import { readText } from '../../command/text-source.ts';

/** Larger than any secret; the rules for secrets set the actual limit. */
const fileBytesMax = 16_384;

/**
 * Reads the value of a secret from a file or standard input, and asks for it if standard input is a terminal. Never
 * reads it from the command line, which every process of the machine can see. Removes a line break at the end.
 */
export async function readSecretValue(path: string | undefined): Promise<string> {
  if (path === undefined && process.stdin.isTTY) return askForValue();
  return (await readText(path ?? '-', fileBytesMax)).replace(/\r?\n$/, '');
}

/** Asks for the value without echoing it. */
async function askForValue(): Promise<string> {
  process.stderr.write('Value (not shown): ');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    const aborted = new AbortController();
    lines.on('SIGINT', () => aborted.abort());
    lines.on('close', () => aborted.abort());
    return await lines.question('', { signal: aborted.signal });
  } catch (cause) {
    throw new CliError('validation_error', 'No value was given.', { cause });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
