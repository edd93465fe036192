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

const canRestore = (program: number, server: number) => program < firstWithTimeout || server >= firstWithTimeout;

/** Throws if `pg_restore` of the major version `program` cannot restore into a server of the major version `server`. */
export function checkRestoreVersion(program: number, server: number): void {
  if (canRestore(program, server)) return;
  const message =
    `pg_restore ${program} cannot restore into PostgreSQL ${server}. Use pg_restore ${server}, and dumps of pg_dump ` +
    `${server}; or a server of version ${firstWithTimeout} or newer.`;
  throw new CliError('configuration_error', message);
}

/**
 * Returns a warning if a dump by `pg_dump` of the major version `program` cannot be restored into a server of the major
 * version `server`. An older `pg_restore` cannot read the dump.
 */
export function dumpVersionWarning(program: number, server: number): string | undefined {
  if (canRestore(program, server)) return undefined;
  return (
    `This backup cannot be restored into PostgreSQL ${server}, only into version ${firstWithTimeout} or newer, ` +
    `because pg_dump has version ${program}. Use pg_dump ${server}, or upgrade the server.`
  );
}
