import type { DatabaseOptions } from '@relata/db';
import { databaseSettings, messagingSettings, readSettings, SettingsError } from '@relata/runtime';
import { findStack } from './stack-file.ts';

export interface Connections {
  database: DatabaseOptions & { connectTimeoutMs: number };
  nats: { url: string; prefix: string };
}

/** Returns the addresses in the environment, otherwise those of the running local stack. */
export function findConnections(): Connections {
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = process.env;
  const stack = databaseUrl && natsUrl ? undefined : findStack();
  const url = databaseUrl || stack?.postgres?.url;
  if (!url)
    throw new SettingsError('No database is configured: start the local stack (npm start) or set DATABASE_URL.');
  // The local stack's NATS is used only with the stack's database, because the stack's apps use no other database.
  const stackNatsUrl = url === stack?.postgres?.url ? stack.nats?.url : undefined;
  const given = { ...process.env, DATABASE_URL: url, NATS_URL: natsUrl || stackNatsUrl };
  const settings = readSettings({ ...databaseSettings, ...messagingSettings }, given);
  const database = {
    name: 'relata-cli',
    url: settings.DATABASE_URL,
    poolMax: 2,
    statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
  };
  return { database, nats: { url: settings.NATS_URL, prefix: settings.NATS_PREFIX } };
}
