import { chmod, mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { buildIndexes } from '@relata/records';
import { startPostgres } from '@relata/embedded';
import { startApp } from '@relata/testbed/program';
import { openServers } from '@relata/testbed/servers';
import { createTestTrigger, createTestOrganization } from '@relata/testbed/fixtures';
import { makeMemoryFolder } from '@relata/testing';
import { type AppName, serviceOf } from '../services.ts';
import { startCalled } from '@relata/testbed/called';
import type { PostgresPrograms } from './postgres-programs.harness.ts';

const appRole = { name: 'relata_app', password: 'relata_app' };

/** A function that returns settings of PostgreSQL. The server can write to the folder `archive`. */
type SettingsWith = (archive: string) => Record<string, string>;

/**
 * Starts PostgreSQL, NATS and a system that workflows call. Apps can then be started and stopped on any database of
 * that server.
 */
export async function openInstallation(
  stack: AsyncDisposableStack,
  binaries: PostgresPrograms,
  settingsWith: SettingsWith = () => ({}),
) {
  const folder = await realpath(await makeMemoryFolder('relata-backup-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  // PostgreSQL may run as a different user.
  await chmod(folder, 0o755);
  const archive = join(folder, 'archive');
  await mkdir(archive);
  await chmod(archive, 0o777);
  // The log is outside the data folder: if root runs the tests, only root can read the log, so a copy of the folder
  // would fail.
  const log = join(folder, 'postgres.log');
  const settings = settingsWith(archive);
  const servers = await openServers(stack, { name: 'backup', folder, binaries, settings, log, appRole });
  const { postgres, nats, logFile } = servers;
  const outside = stack.use(await startCalled(0));
  const addressOf = (name: string) => Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
  const appUrlOf = (url: string) =>
    Object.assign(new URL(url), { username: appRole.name, password: appRole.password }).href;
  return {
    folder,
    archive,
    url: postgres.url,
    addressOf,
    appUrlOf,
    outside,
    /**
     * Copies the first database, and returns the address of the copy. No client may be connected to the first database.
     */
    copyDatabase: servers.createDatabase,
    createDatabase: async (name: string) => {
      await using admin = openDatabase({ url: addressOf('postgres'), name: 'backup', poolMax: 1 });
      await admin.query(statement('', `CREATE DATABASE ${name}`), []);
      return addressOf(name);
    },
    /** Migrates a database and builds its indexes. Returns the names of the migrations and indexes that it lacked. */
    migrate: async (url: string): Promise<string[]> => {
      const names = await migrateDatabase({ url, appRole });
      return [...names, ...(await buildIndexes({ url })).built];
    },
    /** Starts another server on an existing data folder; it ends with the installation. */
    startOn: async (dataDir: string) => {
      const other = await startPostgres({ dataDir, binaries });
      stack.defer(() => other.stop());
      return other.url;
    },
    /**
     * Starts the receiver, the API and, unless excluded, a worker. They end with their stack. Returns the addresses of
     * the receiver and the API.
     */
    startApps: async (apps: AsyncDisposableStack, url: string, { worker = true } = {}) => {
      const env = { ...settingsOfApps, DATABASE_URL: appUrlOf(url), NATS_URL: nats.url };
      const start = async (name: AppName) => apps.use(await startApp(serviceOf(name), { logFile, env })).url;
      // Starts the apps one after another. On a busy machine, starting them together would be no faster.
      if (worker) await start('workflow-worker');
      return { receiver: await start('webhook-ingest'), api: await start('records-api') };
    },
  };
}

const settingsOfApps = {
  DATABASE_POOL_MAX: '8',
  WEBHOOK_RATE_LIMIT: 'off',
  API_RATE_LIMIT: 'off',
  // A short lease, so that workers soon take over the runs that were active at the time of the backup.
  WORKER_LEASE_MS: '2000',
  OUTBOUND_ALLOW: '127.0.0.1/32',
};

/** Creates an organization whose trigger starts a workflow with a record, a delay and a call. */
export async function prepareOrganization(url: string, outside: string) {
  await using database = openDatabase({ url, name: 'backup', poolMax: 2 });
  const { orgId, keys } = await createTestOrganization(database, 'Acme', [
    'records:read',
    'records:write',
    'events:read',
  ]);
  const definition = {
    name: 'backup',
    inputs: { nonce: { type: 'string', required: true } },
    steps: [
      { id: 'account', use: 'account.create', with: { set: { account_name: '${{ inputs.nonce }}' } } },
      { id: 'rest', use: 'delay', with: { for: '1s' } },
      { id: 'call', use: 'http.request', with: { method: 'POST', url: outside } },
    ],
  };
  const assigned = [{ definition, inputs: { nonce: 'payload.nonce' } }];
  return { key: keys[0]!, target: await createTestTrigger(database, orgId, { assigned }) };
}
