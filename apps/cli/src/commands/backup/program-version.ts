import { CliError } from '../../output/cli.error.ts';
import { type ProgramName, runPostgresProgram, untilStopped } from './postgres-program.ts';

/** Returns the major version of a program of PostgreSQL. */
export async function programMajor(program: ProgramName): Promise<number> {
  const printed = await untilStopped((signal) => runPostgresProgram(program, ['--version'], { signal }));
  return Number(/\d+/.exec(printed)?.[0] ?? 0);
}

/**
 * First version with the setting `transaction_timeout`. `pg_restore` sets it from this version on, and older servers
 * refuse it.
 */
const firstWithTimeout = 17;

/** Throws if `pg_restore` of the major version `program` cannot restore into a server of the major version `server`. */
export function checkRestoreVersion(program: number, server: number): void {
  if (program < firstWithTimeout || server >= firstWithTimeout) return;
  const message =
    `pg_restore ${program} cannot restore into PostgreSQL ${server}. Use pg_restore ${server}, and dumps of pg_dump ` +
    `${server}; or a server of version ${firstWithTimeout} or newer.`;
  throw new CliError('configuration_error', message);
}
