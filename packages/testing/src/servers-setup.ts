import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateDatabase } from '@relata/db/migrate';
import { startNats, startPostgres } from '@relata/embedded';
import { buildIndexes } from '@relata/records';
import type { TestProject } from 'vitest/node';
import { createDatabase, dropDatabase, dropRole } from './database-admin.ts';
import { makeMemoryFolder } from './memory-folder.ts';
import { copyPreparedPostgres } from './prepared-postgres.ts';
import { serverImage } from './server-images.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    natsUrl: string;
    templateName: string;
    /** Role with which test databases are opened. */
    appRole: { name: string; password: string };
  }
}

/** Servers of a test run. */
interface Servers {
  postgresUrl: string;
  natsUrl: string;
  /** Name of a database that already has our schema, to copy; undefined if there is none. */
  prepared?: string | undefined;
  stop(): Promise<void>;
}

/** Settings that keep writes from waiting for the disk, because the data of a test run need not survive a crash. */
const settings = { max_connections: '200', fsync: 'off', full_page_writes: 'off' };

/**
 * Provides PostgreSQL and NATS for a test run: the servers that the environment names, else containers, else embedded
 * servers.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const servers = await acquireServers();
  const templateName = `relata_template_${randomBytes(4).toString('hex')}`;
  const url = await createDatabase(servers.postgresUrl, templateName, servers.prepared);
  const appRole = { name: `${templateName}_app`, password: randomBytes(24).toString('base64url') };
  await migrateDatabase({ url, appRole });
  await buildIndexes({ url });
  project.provide('postgresUrl', servers.postgresUrl);
  project.provide('natsUrl', servers.natsUrl);
  project.provide('templateName', templateName);
  project.provide('appRole', appRole);
  return async () => {
    await dropDatabase(servers.postgresUrl, templateName);
    // Databases of interrupted tests may still refer to the role.
    await dropRole(servers.postgresUrl, appRole.name).catch(() => undefined);
    await servers.stop();
  };
}

async function acquireServers(): Promise<Servers> {
  const { DATABASE_URL: postgresUrl, NATS_URL: natsUrl } = process.env;
  if (postgresUrl && natsUrl) return { postgresUrl, natsUrl, stop: () => Promise.resolve() };
  const own = (await hasDocker()) ? await startContainers() : await startEmbedded();
  return { ...own, ...(postgresUrl && { postgresUrl, prepared: undefined }), ...(natsUrl && { natsUrl }) };
}

/** Returns true if a Docker engine responds. An installed client is not enough. */
async function hasDocker(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

async function startContainers(): Promise<Servers> {
  const { GenericContainer } = await import('testcontainers');
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  // Uses the same locale as Compose and the embedded server. An image's default locale may know only English letters.
  const made = {
    POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8',
  };
  const command = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [postgres, nats] = await Promise.all([
    new PostgreSqlContainer(serverImage('POSTGRES_IMAGE'))
      .withEnvironment(made)
      .withCommand(['postgres', ...command])
      .start(),
    new GenericContainer(serverImage('NATS_IMAGE')).withCommand(['-js']).withExposedPorts(4222).start(),
  ]);
  return {
    postgresUrl: postgres.getConnectionUri(),
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    stop: async () => void (await Promise.all([postgres.stop(), nats.stop()])),
  };
}

async function startEmbedded(): Promise<Servers> {
  const folder = await makeMemoryFolder('relata-test-');
  const binDir = fileURLToPath(new URL('../../../.local/bin', import.meta.url));
  const onProgress = (line: string) => process.stderr.write(`${line}\n`);
  const dataDir = join(folder, 'postgres');
  await copyPreparedPostgres(dataDir);
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir, settings }),
    startNats({ storeDir: join(folder, 'nats'), binDir, onProgress, token: randomBytes(24).toString('base64url') }),
  ]);
  const stop = async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  const prepared = new URL(postgres.url).pathname.slice(1);
  return { postgresUrl: postgres.url, prepared, natsUrl: nats.url, stop };
}
