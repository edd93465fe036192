import { service } from '@relata/console/service';
import { openServers } from '@relata/testbed/servers';
import { type Program, startProgram } from '@relata/testbed/program';
import { type ConsoleSite, createConsoleSite } from './console-site.ts';

export interface TestBed extends AsyncDisposable {
  site: ConsoleSite;
  startFloor(): Promise<Program>;
  startConsole(): Promise<Program>;
}

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  // Avoids checkpoints while the old rows are loaded, because they would slow the loading down.
  const settings = { max_wal_size: '16GB', checkpoint_timeout: '1h' };
  const servers = await openServers(stack, { name: 'bench', settings, onProgress });
  const { postgres, logFile } = servers;
  const site = stack.use(await createConsoleSite(postgres.url));
  const opened = stack.move();
  return {
    site,
    startFloor: () => {
      const env = { DATABASE_URL: postgres.url, ORG_ID: site.orgIds[0]!, TRIGGER_ID: site.triggerIds[1]! };
      return startProgram({ name: 'floor', file: new URL('./floor.worker.ts', import.meta.url), logFile, env });
    },
    startConsole: () => servers.start(service),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
