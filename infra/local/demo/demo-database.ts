import { type Database, openDatabase } from '@relata/db';

/** Opens the database for the demo. A server that has just started on a busy machine may take seconds to let it in. */
export function openDemoDatabase(url: string): Database {
  return openDatabase({ url, name: 'relata-demo', poolMax: 2, connectTimeoutMs: 30_000 });
}
