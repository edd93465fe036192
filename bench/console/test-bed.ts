import { service } from '@relata/console/service';
import { bulkSettings, openBenchServers } from '../servers.ts';
import { openConsoleDatabase } from './console-database.ts';

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export async function openTestBed(stack: AsyncDisposableStack) {
  const servers = await openBenchServers(stack, bulkSettings);
  const database = await openConsoleDatabase(stack, servers.postgres.url);
  return {
    database,
    postgresVersion: servers.postgresVersion,
    startFloor: () =>
      servers.startFile(new URL('./floor.worker.ts', import.meta.url), {
        ORG_ID: database.orgIds[0]!,
        TRIGGER_ID: database.triggerIds[1]!,
      }),
    startConsole: () => servers.start(service),
  };
}
