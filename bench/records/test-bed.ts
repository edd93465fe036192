import { service } from '@relata/records-api/service';
import { openDatabase } from '@relata/db';
import { openServers } from '@relata/testbed/servers';
import { createTestOrganization } from '@relata/testbed/site';
import { type Program, startProgram } from '@relata/testbed/program';
import pg from 'pg';
import { createFloorTable } from './accounts.sql.ts';

export interface TestOrganization {
  orgId: string;
  key: string;
}

export interface TestBed extends AsyncDisposable {
  folder: string;
  postgresPid: number;
  /** Connection for the bench itself; its statements have no time limit. */
  admin: pg.Client;
  createTestOrganization(name: string): Promise<TestOrganization>;
  startFloor(orgId: string): Promise<Program>;
  startRelata(nodeOptions?: string[]): Promise<Program>;
}

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const servers = await openServers(stack, { name: 'bench', onProgress });
  const { folder, postgres } = servers;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  stack.defer(() => admin.end());
  await createFloorTable(admin);
  const database = stack.use(openDatabase({ url: postgres.url, name: 'bench' }));
  const opened = stack.move();
  return {
    folder,
    postgresPid: postgres.pid,
    admin,
    createTestOrganization: async (name) => {
      const { orgId, keys } = await createTestOrganization(database, name, scopes);
      return { orgId, key: keys[0]! };
    },
    startFloor: (orgId) =>
      startProgram({
        name: 'floor',
        file: new URL('./floor.worker.ts', import.meta.url),
        logFile: servers.logFile,
        env: { DATABASE_URL: postgres.url, ORG_ID: orgId },
      }),
    startRelata: (nodeOptions = []) => servers.start(service, { nodeOptions, env: { API_RATE_LIMIT: unlimited } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const scopes = ['records:read', 'records:write', 'records:delete', 'events:read'] as const;

/** Rate limit that no load reaches. Requests are counted as in production. */
const unlimited = '1000000000/1m';
