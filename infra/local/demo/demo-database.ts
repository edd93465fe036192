import { type Database, openDatabase } from '@relata/db';

/** Opens the database for the demo. On a busy machine, a server that has just started may take seconds to connect. */
export function openDemoDatabase(url: string): Database {
  return openDatabase({ url, name: 'relata-demo', poolMax: 2, connectTimeoutMs: 30_000 });
}
