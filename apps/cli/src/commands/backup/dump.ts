import { stat } from 'node:fs/promises';
import { compareNames, runsOnNewer, SchemaVersionError } from '@relata/db';
import { CliError } from '../../output/cli.error.ts';
import { runPostgresProgram } from './postgres-program.ts';

/** Content of a dump that a restore needs before it creates anything. */
export interface Dump {
  /** Encoding and locale of the dumped database, as `CREATE DATABASE ... WITH` takes them. */
  properties: string;
  /** Names of the migrations of the dumped database. */
  migrations: string[];
  /**
   * Last migration of the oldest release that runs on the dumped schema; undefined if the database does not record it
   * yet.
   */
  oldest: string | undefined;
  /** Roles that have privileges in the dumped database. */
  grantees: string[];
  /** Table of contents, as `pg_restore --list --verbose` prints it and `--use-list` takes it. */
  contents: string;
}

/**
 * Reads a dump to its end. Throws if it is not in the custom format, is damaged or cut off, or is not a dump of a
 * Relata database.
 */
export async function readDump(file: string, signal: AbortSignal): Promise<Dump> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) throw new CliError('not_found', `There is no file ${file}.`);
  const read = (...words: string[]) => runPostgresProgram('pg_restore', [...words, file], { signal });
  const schema = await read('--create', '--section=pre-data', '--file=-');
  const readColumn = async (table: string, column: string) =>
    valuesIn(await read('--data-only', `--table=${table}`, '--file=-'), column);
  const [, properties] = /^CREATE DATABASE .*? WITH (.*);$/m.exec(schema) ?? [];
  const migrations = await readColumn('schema_migrations', 'name');
  const [oldest] = await readColumn('schema_compatibility', 'oldest');
  if (properties === undefined || migrations.length === 0)
    throw new CliError(
      'validation_error',
      `${file} is not a dump of a Relata database: it contains no Relata migrations.`,
    );
  const grantees = granteesIn(await read('--schema-only', '--file=-'));
  // The table of contents comes first, so only reading the whole file shows that nothing is missing.
  await read('--file=/dev/null');
  return { properties, migrations, oldest, grantees, contents: await read('--list', '--verbose') };
}

/** An entry of a table of contents: its id, what it is, and the ids of the entries that it needs. */
const entry = /^(\d+); \d+ \d+ (.*)\n(?:;\tdepends on: (.*)\n)?/gm;

/** Objects that only a superuser may create, or that would connect the new database to other systems. */
const foreign = /^(?:PUBLICATION|SUBSCRIPTION|EVENT TRIGGER|FOREIGN DATA WRAPPER|SERVER|USER MAPPING) /;

/** Parts of other objects. A part is left out together with its object, and is not reported. */
const part = /^(?:COMMENT|ACL|DEFAULT|USER MAPPING|PUBLICATION TABLE.*) /;

const rows = /^(?:TABLE DATA|SEQUENCE SET) /;

/** A table or its rows. If it needs a removed object, it stays, so that the restore fails instead of losing rows. */
const table = /^TABLE (?!ATTACH )/;

/**
 * Removes from a table of contents: extensions whose names are not in `creatable`, rows of their tables, publications,
 * subscriptions, event triggers, foreign servers, and whatever needs one of them, except tables. Returns the remaining
 * contents and the names of the removed objects, like `EXTENSION citext`.
 */
export function leaveOut(contents: string, creatable: ReadonlySet<string>): { contents: string; leftOut: string[] } {
  const [present, removed] = [new Set<string>(), new Set<string>()];
  const leftOut: string[] = [];
  let lacksExtension = false;
  // Each entry comes after the entries that it depends on.
  const kept = contents.replaceAll(entry, (whole, id: string, what: string, listed: string = '') => {
    const needs = listed.split(' ').filter(Boolean);
    const [, extension] = /^EXTENSION - (\S+) /.exec(what) ?? [];
    const isUncreatable = extension !== undefined && !creatable.has(extension);
    lacksExtension ||= isUncreatable;
    // A dump has rows without their table only if an extension owns the table. The dump does not name that extension.
    const lacksTable = rows.test(what) && needs.length > 0 && !needs.some((needed) => present.has(needed));
    const lacksNeeded = !table.test(what) && needs.some((needed) => removed.has(needed));
    present.add(id);
    if (!(isUncreatable || foreign.test(what) || lacksNeeded || (lacksTable && lacksExtension))) return whole;
    removed.add(id);
    if (!part.test(what)) leftOut.push(objectName(what));
    return '';
  });
  return { contents: kept, leftOut };
}

/** Returns an entry without its owner, and without the `-` of objects that are in no schema. */
function objectName(what: string): string {
  return what.replace(/ \S*$/, '').replace(' - ', ' ');
}

/** Returns the values of a column from the output of `COPY`. The list is empty if there are no rows. */
function valuesIn(copied: string, column: string): string[] {
  const [, columns = '', rows = ''] = /^COPY \S+ \(([^)]*)\) FROM stdin;\n([^]*?)^\\\.$/m.exec(copied) ?? [];
  const at = columns.split(', ').indexOf(column);
  return rows.split('\n').flatMap((row) => row.split('\t')[at] ?? []);
}

/** Returns the roles that get privileges in a schema as `pg_restore` prints it, without duplicates. */
export function granteesIn(schema: string): string[] {
  const granted = schema.matchAll(/^(?:ALTER DEFAULT PRIVILEGES .* )?GRANT .* TO ("(?:[^"]|"")+"|[^\s;"]+).*;$/gm);
  const names = [...granted].map(([, name = '']) => name.replace(/^"|"$/g, '').replaceAll('""', '"'));
  return [...new Set(names)].filter((name) => name !== 'PUBLIC').toSorted();
}

/** Throws if a dump is from a newer release, and this release does not run on its schema. */
export async function checkRelease({ migrations: dumped, oldest }: Dump): Promise<void> {
  const { migrations } = await import('@relata/db/migrations');
  const compared = { ...compareNames(dumped, migrations), oldest };
  if (compared.unknown.length > 0 && !runsOnNewer(compared, migrations)) throw SchemaVersionError.newer(compared);
}
