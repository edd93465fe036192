import { compareSchema, openDatabase, statement } from '@relata/db';
import { buildIndexes } from '@relata/records';
import { command } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';
import { flag } from '../../command/parameter.ts';
import { failureText } from '../indexes/indexes.ts';

/** Checks the connection, because Knex would try to connect for ten seconds. */
const reach = statement<never>('database.reach', 'SELECT');

export const migrate = command({
  name: 'migrate',
  summary: 'Migrate the database to the schema of this release, and build missing indexes of lists',
  options: { no_indexes: flag('Leave the indexes to: relata indexes create') },
  examples: ['migrate', 'migrate --no-indexes'],
  takesAnySchema: true,
  run: async ({ databaseUrl, connectTimeoutMs, stack, say, afterwards }, { no_indexes: leavesIndexes }) => {
    const given = ownerSettings();
    // Knex is slow to load, and only this command and `restore` need it.
    const { migrateDatabase, migrationTarget } = await import('@relata/db/migrate');
    const target = migrationTarget({ databaseUrl, ...given });
    const options = { url: target.url, name: 'relata-migrate', poolMax: 1, connectTimeoutMs };
    const database = stack.use(openDatabase(options));
    await database.query(reach, []);
    const rights: string[] = [];
    const onRights = (change: string) => void rights.push(change);
    const migrated = await migrateDatabase({ ...target, log: say, onRights }).catch(explainRights('migrate'));
    const { unknown } = await compareSchema(database);
    // A newer release builds its own indexes, which may replace some of these.
    const isSkipped = leavesIndexes || unknown.length > 0;
    const result = isSkipped ? { built: [], failed: [] } : await buildIndexes({ url: target.url, log: say });
    const failure = failureText(result);
    if (failure !== undefined) afterwards(failure);
    return { migrated, newer: unknown, indexes: result.built, rights };
  },
  note: ({ migrated, newer, indexes, rights }) => {
    if (newer.length > 0) return 'A newer release has migrated the database. This release runs on it; nothing changed.';
    const changes = migrated.length + indexes.length + rights.length;
    return changes === 0 ? 'The database was up to date.' : undefined;
  },
});
