import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@relata/db';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from './database.admin.ts';

export interface TestDatabase extends AsyncDisposable {
  url: string;
  database: Database;
}

/** A database of one's own with the current schema, copied from a template in milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `relata_test_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(serverUrl, name, inject('templateName'));
  const database = openDatabase({ url, name: 'relata-test' });
  const dispose = async () => {
    await database[Symbol.asyncDispose]();
    await dropDatabase(serverUrl, name);
  };
  return { url, database, [Symbol.asyncDispose]: dispose };
}

/** The address of the NATS server of this test run. */
export const natsUrl = () => inject('natsUrl');
