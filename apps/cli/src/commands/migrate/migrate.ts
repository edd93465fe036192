import { compareSchema, openDatabase, statement } from '@relata/db';
import { command } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';

/** Checks the connection first, since Knex would try for ten seconds. */
const reach = statement<never>('database.reach', 'SELECT');

export const migrate = command({
  name: 'migrate',
  summary: 'Migrate the database to the schema of this release',
  examples: ['migrate'],
  takesAnySchema: true,
  run: async ({ databaseUrl, stack, say }) => {
    const given = ownerSettings();
    // Knex is slow to load, and no other command needs it.
    const { migrateDatabase, migrationTarget } = await import('@relata/db/migrate');
    const target = migrationTarget({ databaseUrl, ...given });
    const database = stack.use(openDatabase({ url: target.url, name: 'relata-migrate', poolMax: 1 }));
    await database.query(reach, []);
    const migrated = await migrateDatabase({ ...target, log: say }).catch(explainRights('migrate'));
    const { unknown } = await compareSchema(database);
    return { migrated, newer: unknown };
  },
  note: ({ migrated, newer }) => {
    if (newer.length > 0) return 'A newer release has migrated the database. This release runs on it; nothing changed.';
    return migrated.length === 0 ? 'The database was up to date.' : undefined;
  },
});
