import { checkSchema, openDatabase, schemaLevel } from '@relata/db';
import { fenceEvents, type Operator } from '@relata/events';
import { buildIndexes, dropIndex, listIndexes } from '@relata/records';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';
import { value, integer } from '../../command/parameter.ts';
import { CliError } from '../../output/cli.error.ts';
import { failureText } from '../indexes/indexes.ts';
import { filePath } from './backup-file.ts';
import { checkRelease, leaveOut, readDump } from './dump.ts';
import { NewDatabase } from './new-database.ts';
import { addressOfDatabase, postgresEnvironment, writeTemporaryFile } from './postgres-environment.ts';
import { runPostgresProgram, untilStopped } from './postgres-program.ts';
import { analyzeAll, countRecords, listTotals, readContent } from './restored.sql.ts';
import { leftOutText, rolesText, switchText } from './switch-text.ts';

/** Long time limit, because counting and analyzing read whole tables. */
const statementTimeoutMs = 3_600_000;

/** A database name that needs no escaping in a URL or in a file of settings. */
const databaseName = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, {
  error: 'May contain only lower-case letters, digits and _, and must not begin with a digit.',
});

export const restore = command({
  name: 'restore',
  summary: 'Restore a backup into a new database that the apps can use',
  arguments: { file: value('FILE', filePath, 'File made by relata backup or pg_dump') },
  options: {
    into: value('NAME', databaseName, 'Name of the new database'),
    jobs: value('N', integer(1, 64).default(4), 'Tables that are restored at once, up to 64 (default: 4)'),
  },
  examples: ['restore relata.dump --into relata_restored'],
  takesAnySchema: true,
  run: async ({ databaseUrl, operator, stack, say, afterwards }, { file, into: name, jobs }) => {
    const { migrationUrl: ownerUrl = databaseUrl, appRole } = ownerSettings();
    const { createAppRole, grantAppRole, migrateDatabase, migrationTarget } = await import('@relata/db/migrate');
    const database = await NewDatabase.prepare(ownerUrl, name, stack);
    const target = migrationTarget({
      databaseUrl: addressOfDatabase(databaseUrl, name),
      migrationUrl: database.url,
      appRole,
    });
    const own = new Set([decodeURIComponent(new URL(target.url).username), target.appRole?.name]);
    say(`Reading ${file}`);
    const dump = await untilStopped((signal) => readDump(file, signal));
    await checkRelease(dump);
    // A dump does not contain roles.
    await createAppRole({ ...target, url: addressOfDatabase(ownerUrl, 'postgres') });
    say(`Restoring into ${name}`);
    const { contents, leftOut } = leaveOut(dump.contents, database.extensions);
    await untilStopped((signal) => fill(database, file, { dump: { ...dump, contents }, jobs, stack, signal }));
    const finish = async () => {
      const migrated = await migrateDatabase({ ...target, log: say }).catch(explainRights('migrate'));
      // If a newer release has migrated the database, `migrateDatabase` grants nothing, so the rights are granted here.
      await grantAppRole(target);
      // Dropping these indexes makes `buildIndexes` complete their tables of values. A dump that was made at the end of
      // a migration may lack some of the values.
      for (const { name, valuesOf } of listIndexes) if (valuesOf) await dropIndex({ url: target.url, name });
      // A dump contains its indexes, but a dump from an older release lacks some.
      const failure = failureText(await buildIndexes({ url: target.url, log: say }));
      if (failure !== undefined) afterwards(failure);
      say('Analyzing and checking');
      const checked = await prepare(database.url, operator);
      await database.finish();
      const other_roles = dump.grantees.filter((role) => !own.has(role));
      return { database: name, migrated, ...checked, other_roles, not_restored: leftOut };
    };
    return finish().catch((error: Error) => {
      const message =
        `The database ${name} has all data of ${file}, but could not be prepared: ${error.message} ` +
        `Fix the cause, set DATABASE_URL and DATABASE_MIGRATION_URL to this database, and run: relata migrate, then ` +
        `relata events fence. Or drop the database and restore again.`;
      throw new CliError('program_failed', message, { cause: error });
    });
  },
  note: ({ database, newest_event: newest, other_roles: roles, not_restored: leftOut }) =>
    switchText(database, newest) + rolesText(roles) + leftOutText(leftOut),
});

interface Filling {
  dump: Awaited<ReturnType<typeof readDump>>;
  jobs: number;
  stack: AsyncDisposableStack;
  signal: AbortSignal;
}

/** Creates the database and restores all of the dump. */
async function fill(database: NewDatabase, file: string, { dump, jobs, stack, signal }: Filling): Promise<void> {
  const env = await postgresEnvironment(database.url, stack);
  const how = ['--exit-on-error', '--no-owner', '--no-privileges', '--no-password', `--jobs=${jobs}`];
  const list = await writeTemporaryFile('contents', dump.contents, stack);
  const words = [...how, `--dbname=${database.name}`, `--use-list=${list}`, file];
  await database.fill(dump, () => runPostgresProgram('pg_restore', words, { signal, env }));
}

/** Advances the event sequence, analyzes the tables, and checks the schema and the totals. */
async function prepare(url: string, operator: Operator) {
  await using database = openDatabase({ url, name: 'relata-cli', poolMax: 1, statementTimeoutMs });
  await fenceEvents({ database }, operator);
  await database.query(analyzeAll, []);
  const newer = await checkSchema(database);
  const totals: Record<string, number> = {};
  for (const { resource, total } of await listTotals(database)) {
    const { counted } = await countRecords(resource)(database);
    if (counted !== total)
      throw new CliError('fault_found', `${resource}: the stored total is ${total}, but there are ${counted} rows.`);
    totals[resource] = total;
  }
  const { newest_event, ...content } = await readContent(database);
  return { schema: newer.at(-1) ?? schemaLevel, ...content, ...totals, newest_event };
}
