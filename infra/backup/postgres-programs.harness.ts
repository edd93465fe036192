import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from '@relata/embedded';

const run = promisify(execFile);
const timeout = 120_000;

/** A PostgreSQL installation with client programs of the same version. The embedded PostgreSQL has only the server. */
export interface PostgresPrograms extends PostgresBinaries {
  major: number;
  /** Runs `pg_dump` or another program with these arguments; rejects with its standard error. */
  run(program: 'pg_dump' | 'pg_restore' | 'pg_basebackup', words: readonly string[]): Promise<void>;
}

const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup'];
const least = 15;

/** Reason that tests show if they are skipped because no such installation exists. */
export const neededPrograms = `needs ${needed.join(', ')} of the same PostgreSQL, version ${least} or newer`;

/**
 * Returns the newest installation in the usual folders and on the PATH. Returns undefined if none is complete and of
 * version 15 or newer.
 */
export function findPostgresPrograms(): PostgresPrograms | undefined {
  const usual = ['/usr/lib/postgresql/*/bin', '/usr/local/pgsql/bin', '/opt/homebrew/opt/postgresql@*/bin'];
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => existsSync(join(folder, 'pg_dump')));
  const linked = onPath.map((folder) => dirname(realpathSync(join(folder, 'pg_dump'))));
  return [...globSync(usual), ...linked]
    .filter((folder) => needed.every((program) => existsSync(join(folder, program))))
    .map(programsIn)
    .filter(({ major }) => major >= least)
    .toSorted((a, b) => b.major - a.major)[0];
}

function programsIn(folder: string): PostgresPrograms {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return {
    initdb: join(folder, 'initdb'),
    postgres: join(folder, 'postgres'),
    major: Number(/\d+/.exec(stdout)?.[0] ?? 0),
    run: async (program, words) => void (await run(join(folder, program), words, { timeout })),
  };
}
