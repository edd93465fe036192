import { service } from '@relata/console/service';
import { bulkSettings, openBenchServers } from '../servers.ts';
import { createConsoleSite } from './console-site.ts';

export type TestBed = Awaited<ReturnType<typeof openTestBed>>;

export async function openTestBed(stack: AsyncDisposableStack) {
  const servers = await openBenchServers(stack, bulkSettings);
  const site = await createConsoleSite(stack, servers.postgres.url);
  return {
    site,
    postgresVersion: servers.postgresVersion,
    startFloor: () =>
      servers.startFile(new URL('./floor.worker.ts', import.meta.url), {
        ORG_ID: site.orgIds[0]!,
        TRIGGER_ID: site.triggerIds[1]!,
      }),
    startConsole: () => servers.start(service),
  };
}
