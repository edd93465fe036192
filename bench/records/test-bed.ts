import { service } from '@relata/records-api/service';
import { openDatabase } from '@relata/db';
import { createTestOrganization } from '@relata/testbed/fixtures';
import { openAdmin, openBenchServers } from '../servers.ts';
import { createFloorTable } from './accounts.sql.ts';

export interface TestOrganization {
  orgId: string;
  key: string;
}

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

/** Starts the servers. `before` calls this function, and those of its result, in other checkouts, too. */
export async function openTestBed() {
  await using stack = new AsyncDisposableStack();
  const servers = await openBenchServers(stack);
  const { folder, postgres, postgresVersion } = servers;
  const admin = await openAdmin(stack, postgres.url);
  await createFloorTable(admin);
  const database = stack.use(openDatabase({ url: postgres.url, name: 'bench' }));
  const opened = stack.move();
  return {
    folder,
    postgresVersion,
    postgresPid: postgres.pid,
    admin,
    createTestOrganization: async (name: string): Promise<TestOrganization> => {
      const { orgId, keys } = await createTestOrganization(database, name, scopes);
      return { orgId, key: keys[0]! };
    },
    startFloor: (orgId: string) => servers.startFile(new URL('./floor.worker.ts', import.meta.url), { ORG_ID: orgId }),
    startRelata: (nodeOptions: string[] = []) =>
      servers.start(service, { nodeOptions, env: { API_RATE_LIMIT: unlimited } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const scopes = ['records:read', 'records:write', 'records:delete', 'events:read'] as const;

/** Rate limit that no load reaches. Requests are counted as in production. */
const unlimited = '1000000000/1m';
