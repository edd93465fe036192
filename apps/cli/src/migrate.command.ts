import { statement } from '@relata/db';
import { command } from './command.ts';

/** Knex would try for ten seconds. */
const reach = statement<never>('database.reach', 'SELECT');

export const migrate = command({
  name: 'migrate',
  summary: 'Bring the database up to this release',
  examples: ['migrate'],
  takesAnySchema: true,
  run: async ({ database, databaseUrl }) => {
    await database.query(reach, []);
    // Knex is slow to load, and no other command needs it.
    const { migrateDatabase } = await import('@relata/db/migrate');
    return { migrated: await migrateDatabase({ url: databaseUrl }) };
  },
  note: ({ migrated }) => (migrated.length === 0 ? 'The database was up to date.' : undefined),
});
