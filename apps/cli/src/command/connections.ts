import type { DatabaseOptions } from '@relata/db';
import { databaseSettings, messagingSettings, readSettings, SettingsError } from '@relata/runtime';
import { findStack } from './stack-file.ts';

export interface Connections {
  database: DatabaseOptions & { connectTimeoutMs: number };
  nats: { url: string; prefix: string };
}

/** Returns the addresses in the environment, otherwise those of the running local stack. */
export function findConnections(environment: NodeJS.ProcessEnv = process.env): Connections {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = environment;
  const stack = databaseUrl && natsUrl ? undefined : findStack();
  const url = databaseUrl || stack?.postgres?.url;
  if (!url)
    throw new SettingsError('No database is configured: start the local stack (npm start) or set DATABASE_URL.');
  // The local stack's NATS is used only with the stack's database, because the stack's apps use no other database.
  const stackNatsUrl = url === stack?.postgres?.url ? stack.nats?.url : undefined;
  const given = { ...environment, DATABASE_URL: url, NATS_URL: natsUrl || stackNatsUrl };
  const { NATS_URL, NATS_PREFIX } = readSettings(messagingSettings, given);
  return { database: databaseOptions(given), nats: { url: NATS_URL, prefix: NATS_PREFIX } };
}

function databaseOptions(environment: NodeJS.ProcessEnv): Connections['database'] {
  const settings = readSettings(databaseSettings, environment);
  return {
    name: 'relata-cli',
    url: settings.DATABASE_URL,
    poolMax: 2,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
  };
}
