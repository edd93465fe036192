import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliError } from '../../output/cli.error.ts';
import { readText } from '../../command/text-source.ts';

/** More than any secret has; the rules of secrets have the limit. */
const fileBytesMax = 16_384;

/**
 * The value of a secret: of a file, of the standard input, or typed where that is a terminal. Never of the command line,
 * which every process of the machine can read. The line break that ends a file is not part of it.
 */
export async function readSecretValue(path: string | undefined): Promise<string> {
  if (path === undefined && process.stdin.isTTY) return askForValue();
  return (await readText(path ?? '-', fileBytesMax)).replace(/\r?\n$/, '');
}

/** Asks for the value without showing what is typed. */
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
