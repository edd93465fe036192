import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { service } from '@relata/records-api/service';
import { nodeEnvironment } from '@relata/service';
import { createApiKey, createOrganization } from '@relata/auth';
import { type Database, openDatabase } from '@relata/db';
import { migrateDatabase } from '@relata/db/migrate';
import { startNats, startPostgres } from '@relata/embedded';
import pg from 'pg';
import { entryOf, type ServiceProcess, startService } from '../process/service-process.ts';
import { createFloorTable } from './accounts.sql.ts';

export interface Tenant {
  orgId: string;
  key: string;
}

/** A PostgreSQL and a NATS for the bench alone, in a folder that is deleted afterwards. */
export interface TestBed extends AsyncDisposable {
  folder: string;
  /** One connection for what the bench itself does; statements may take as long as they like. */
  admin: pg.Client;
  createTenant(name: string): Promise<Tenant>;
  startFloor(orgId: string): Promise<ServiceProcess>;
  startRelata(nodeOptions?: string[]): Promise<ServiceProcess>;
}

const root = resolve(import.meta.dirname, '../..');

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relata-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), onProgress });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: join(root, '.local', 'bin'), onProgress });
  stack.defer(() => nats.stop());
  await migrateDatabase({ url: postgres.url });
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  stack.defer(() => admin.end());
  await createFloorTable(admin);
  const database = stack.use(openDatabase({ url: postgres.url, name: 'bench' }));
  const opened = stack.move();
  return {
    folder,
    admin,
    createTenant: (name) => createTenant(database, name),
    startFloor: (orgId) =>
      startService({
        file: new URL('./floor.worker.ts', import.meta.url),
        logFile: join(folder, 'floor.log'),
        env: { DATABASE_URL: postgres.url, ORG_ID: orgId },
      }),
    startRelata: async (more = []) => {
      const options = {
        file: await entryOf(service, more),
        logFile: join(folder, 'relata.log'),
        env: { ...nodeEnvironment(join(folder, 'compile-cache')), ...relataEnvironment(postgres.url, nats.url) },
        nodeOptions: service.nodeOptions,
      };
      // As after the first start on any machine: the compiled code is cached. A profile is of the second start alone.
      await (await startService(options))[Symbol.asyncDispose]();
      return startService({ ...options, nodeOptions: [...service.nodeOptions, ...more] });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Everything that production has is on; the limit is only too high to be reached. */
function relataEnvironment(databaseUrl: string, natsUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    API_RATE_LIMIT: '1000000000/1m',
  };
}

async function createTenant(db: Database, name: string): Promise<Tenant> {
  const { id: orgId } = await createOrganization(db, name);
  const { key } = await createApiKey(db, orgId, {
    name,
    kind: 'secret',
    scopes: ['records:read', 'records:write', 'events:read'],
  });
  return { orgId, key };
}
