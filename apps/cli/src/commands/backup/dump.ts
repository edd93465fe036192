import { SchemaVersionError } from '@relata/db';
import { CliError } from '../../output/cli.error.ts';
import { stat } from 'node:fs/promises';
import { runPostgresProgram } from './postgres-program.ts';

/** Content of a dump that a restore needs before it creates anything. */
export interface Dump {
  /** Encoding and locale of the dumped database, as `CREATE DATABASE ... WITH` takes them. */
  properties: string;
  /** Names of its migrations. */
  migrations: string[];
}

/**
 * Reads a dump to its end. Throws if it is no dump in the custom format, is damaged or cut off, or is of another
 * database than ours.
 */
export async function readDump(file: string): Promise<Dump> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new CliError('not_found', `There is no file ${file}.`);
  const schema = await runPostgresProgram('pg_restore', ['--create', '--section=pre-data', '--file=-', file]);
  const rows = await runPostgresProgram('pg_restore', ['--data-only', '--table=schema_migrations', '--file=-', file]);
  const [, properties] = /^CREATE DATABASE .*? WITH (.*);$/m.exec(schema) ?? [];
  const migrations = namesIn(rows);
  if (properties === undefined || migrations.length === 0)
    throw new CliError('validation_error', `${file} is a dump of another database: it has no migrations of Relata.`);
  // Its table of contents comes first, so only reading all of it shows that nothing is missing.
  await runPostgresProgram('pg_restore', ['--file=/dev/null', file]);
  return { properties, migrations };
}

/** Returns the column `name` of the rows, as `COPY` writes them. */
function namesIn(copied: string): string[] {
  const [, columns = '', rows = ''] = /^COPY \S+ \(([^)]*)\) FROM stdin;\n([^]*?)^\\\.$/m.exec(copied) ?? [];
  const at = columns.split(', ').indexOf('name');
  return rows.split('\n').flatMap((row) => row.split('\t')[at] ?? []);
}

/** Throws if a dump is of a newer release than this one, which could not use it. */
export async function checkRelease({ migrations: dumped }: Dump): Promise<void> {
  const { migrations } = await import('@relata/db/migrations');
  const unknown = dumped.filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length > 0) throw SchemaVersionError.newer(unknown);
}
