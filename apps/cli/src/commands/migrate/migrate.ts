import { openDatabase, statement } from '@relata/db';
import { migrationSettings, readSettings, SettingsError } from '@relata/runtime';
import { CliError } from '../../output/cli.error.ts';
import { command } from '../../command/command.ts';

const insufficientPrivilege = '42501';

/** Knex would try for ten seconds. */
const reach = statement<never>('database.reach', 'SELECT');

export const migrate = command({
  name: 'migrate',
  summary: 'Migrate the database to the schema of this release',
  examples: ['migrate'],
  takesAnySchema: true,
  run: async ({ databaseUrl, stack }) => {
    const given = ownerSettings();
    // Knex is slow to load, and no other command needs it.
    const { migrateDatabase, migrationTarget } = await import('@relata/db/migrate');
    const target = migrationTarget({ databaseUrl, ...given });
    const database = stack.use(openDatabase({ url: target.url, name: 'relata-migrate', poolMax: 1 }));
    await database.query(reach, []);
    return { migrated: await migrateDatabase(target).catch(explainRights) };
  },
  note: ({ migrated }) => (migrated.length === 0 ? 'The database was up to date.' : undefined),
});

// Run with the role of the apps, it names the setting that is missing.
function explainRights(error: Error & { code?: string }): never {
  if (error.code !== insufficientPrivilege) throw error;
  const message = `The database role may not migrate: ${error.message}. Set DATABASE_MIGRATION_URL to the address of the owner.`;
  throw new CliError('configuration_error', message, { cause: error });
}

function ownerSettings(environment: NodeJS.ProcessEnv = process.env) {
  const settings = readSettings(migrationSettings, environment);
  const { DATABASE_MIGRATION_URL: migrationUrl, DATABASE_APP_ROLE: appRole } = settings;
  // Else the role of the running local stack would be looked for in another database.
  if (migrationUrl && !environment['DATABASE_URL'])
    throw new SettingsError('DATABASE_MIGRATION_URL is set but DATABASE_URL is not: set both, for the same database.');
  return { migrationUrl, appRole };
}
