import { CommanderError } from 'commander';
import { explain } from './output/operation.error.ts';
import { createProgram } from './program.ts';
import { printError } from './output/print-result.ts';

/** Runs one command line and returns its exit code. `cliErrors` lists the exit codes. */
export async function runCli(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json');
  // The reader may close a pipe early: `relata keys list | head`.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    await createProgram({ isJson }).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // The help or the version was requested and printed.
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    return printError(explain(error), isJson);
  }
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
