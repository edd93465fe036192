import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CliError } from '../../output/cli.error.ts';

export type ProgramName = 'pg_dump' | 'pg_restore';

/** Time limit of a dump or a restore. */
const timeoutMs = 24 * 3_600_000;

const stdoutCharactersMax = 64 * 1_048_576;
const stderrCharactersMax = 2_000;

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work with a signal that is aborted when the tool is told to stop. PostgreSQL programs that were started with the
 * signal then stop, too, and the work can clean up what it has begun.
 */
export async function untilStopped<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stopped = new AbortController();
  const stop = (name: NodeJS.Signals) => stopped.abort(new CliError('program_failed', `Stopped by ${name}.`));
  for (const name of stopSignals) process.on(name, stop);
  try {
    return await work(stopped.signal);
  } finally {
    for (const name of stopSignals) process.off(name, stop);
  }
}

interface ProgramOptions {
  signal: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program of PostgreSQL and returns its standard output. Throws the reason of the signal if it is aborted,
 * and the standard error of the program if it fails. Says what to install if the program is missing.
 */
export async function runPostgresProgram(
  program: ProgramName,
  words: readonly string[],
  { signal: stopped, env = process.env }: ProgramOptions,
): Promise<string> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < stdoutCharactersMax) stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharactersMax);
  });
  const closed = once(child, 'close');
  try {
    const [code] = (await closed) as [number | null];
    if (code === 0) return stdout;
  } catch (error) {
    // An aborted program still runs for a moment, and may still write.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    stopped.throwIfAborted();
    throw explainStart(error as NodeJS.ErrnoException, program);
  }
  // Ctrl+C in a terminal interrupts the program as well.
  stopped.throwIfAborted();
  throw new CliError('program_failed', `${program} failed: ${stderr.trim() || 'it was killed'}.${hint(stderr)}`);
}

function explainStart(error: NodeJS.ErrnoException, program: ProgramName): Error {
  if (error.name === 'AbortError') return new CliError('program_failed', `${program} was stopped after 24 hours.`);
  if (error.code !== 'ENOENT') return error;
  const message =
    `${program} was not found. The image of Relata has it (docker compose run --rm relata ...); ` +
    'elsewhere install the client programs of PostgreSQL, not older than the server.';
  return new CliError('configuration_error', message, { cause: error });
}

/** Returns advice for failures whose own message has none. */
function hint(stderr: string): string {
  if (stderr.includes('server version mismatch')) return ' Use programs of the version of the server, or newer ones.';
  if (stderr.includes('No space left on device')) return ' Free space on the disk, then try again.';
  return '';
}
