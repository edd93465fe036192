import { awaitSchema, type Database, openDatabase } from '@relata/db';
import { Messaging } from '@relata/messaging';
import type { AppContext, databaseSettings, messagingSettings } from '@relata/runtime';

export interface Backends {
  database: Database;
  messaging: Messaging;
}

type Needs = typeof databaseSettings & typeof messagingSettings;

/** Opens what every app stands on. Waits for the database, and refuses a schema of another release. */
export async function openBackends(
  name: string,
  { settings, log, stack, stopping }: Pick<AppContext<Needs>, 'settings' | 'log' | 'stack' | 'stopping'>,
): Promise<Backends> {
  const database = stack.use(
    openDatabase({
      name,
      log,
      url: settings.DATABASE_URL,
      poolMax: settings.DATABASE_POOL_MAX,
      statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
    }),
  );
  const messaging = stack.use(new Messaging({ name, log, url: settings.NATS_URL }));
  await awaitSchema(database, { log, signal: stopping });
  return { database, messaging };
}
