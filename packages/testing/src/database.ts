import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@relata/db';
import { inject } from 'vitest';
import { createDatabase, dropDatabase } from './database-admin.ts';

/**
 * Generous timeouts, because a starting or busy server may respond late. Only tests of these timeouts set shorter ones.
 */
export const patience = { connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 };

export interface TestDatabase extends AsyncDisposable {
  /** URL for the role of the apps, which owns nothing. */
  url: string;
  database: Database;
  /** URL for the role of the owner, which can also change tables. */
  ownerUrl: string;
  owner: Database;
}

/** Creates a separate database with the current schema, copied from a template in milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl');
  const name = `relata_test_${randomBytes(6).toString('hex')}`;
  const ownerUrl = await createDatabase(serverUrl, name, inject('templateName'));
  const url = withUser(ownerUrl, inject('appRole'));
  const database = openDatabase({ url, name: 'relata-test', ...patience });
  const owner = openDatabase({ url: ownerUrl, name: 'relata-test-owner', poolMax: 2, ...patience });
  const dispose = async () => {
    await Promise.all([database[Symbol.asyncDispose](), owner[Symbol.asyncDispose]()]);
    await dropDatabase(serverUrl, name);
  };
  return { url, database, ownerUrl, owner, [Symbol.asyncDispose]: dispose };
}

function withUser(url: string, { name, password }: { name: string; password: string }): string {
  const address = new URL(url);
  address.username = name;
  address.password = password;
  return address.href;
}

/** Returns the URL of the NATS server of this test run. */
export const natsUrl = () => inject('natsUrl');
