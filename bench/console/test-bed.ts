import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { service } from '@relata/console/service';
import { startNats, startPostgres } from '@relata/embedded';
import { nodeEnvironment } from '@relata/service';
import { entryOf, type ServiceProcess, startService } from '../process/service-process.ts';
import { type ConsoleSite, createConsoleSite } from './console-site.ts';

/** A PostgreSQL and a NATS for the bench alone, in a folder that is deleted afterwards. */
export interface TestBed extends AsyncDisposable {
  site: ConsoleSite;
  startFloor(): Promise<ServiceProcess>;
  startConsole(): Promise<ServiceProcess>;
}

const root = resolve(import.meta.dirname, '../..');

export async function openTestBed(onProgress: (line: string) => void): Promise<TestBed> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'relata-bench-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // No checkpoint while the past is loaded, which would only take longer.
  const settings = { max_wal_size: '16GB', checkpoint_timeout: '1h' };
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings, onProgress });
  stack.defer(() => postgres.stop());
  const nats = await startNats({ storeDir: join(folder, 'nats'), binDir: join(root, '.local', 'bin'), onProgress });
  stack.defer(() => nats.stop());
  const site = stack.use(await createConsoleSite(postgres.url));
  const logFile = join(folder, 'services.log');
  const opened = stack.move();
  return {
    site,
    startFloor: () => {
      const env = { DATABASE_URL: postgres.url, ORG_ID: site.orgIds[0]!, TRIGGER_ID: site.triggerIds[1]! };
      return startService({ file: new URL('./floor.worker.ts', import.meta.url), logFile, env });
    },
    startConsole: async () => {
      const given = { DATABASE_URL: postgres.url, NATS_URL: nats.url, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info' };
      const env = { ...nodeEnvironment(join(folder, 'compile-cache')), ...given };
      const options = { file: await entryOf(service), logFile, env, nodeOptions: service.nodeOptions };
      // As after the first start on any machine: the compiled code is cached.
      await (await startService(options))[Symbol.asyncDispose]();
      return startService(options);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
