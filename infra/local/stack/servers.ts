import { startNats, startPostgres, type NatsServer, type PostgresServer } from '@relata/embedded';
import { keptSecret } from '../kept-secrets.ts';
import { paths } from '../paths.ts';
import { build } from '../site/widget-build.ts';
import type { StartOptions } from '../start-options.ts';
import { freshLog } from '../supervisor/log-files.ts';
import type { ProcessGroup } from '../supervisor/process-group.ts';
import { sideBySide } from '../supervisor/side-by-side.ts';
import type { StackFile } from './stack-file.ts';

export interface ServersContext {
  options: Pick<StartOptions, 'databaseUrl' | 'natsUrl'>;
  processes: ProcessGroup;
  say: (line: string) => void;
  stopping: AbortSignal;
}

/** Functions that return the current entries of the servers in `stack.json`. */
export interface Servers {
  postgres: () => Omit<StackFile['postgres'], 'app_url'>;
  nats: () => StackFile['nats'];
  isBundled: boolean;
}

/**
 * Starts PostgreSQL and NATS unless the environment names servers. Meanwhile builds the apps and the scripts for
 * browsers.
 */
export async function startServers(context: ServersContext): Promise<Servers> {
  const { options, say, stopping } = context;
  const { databaseUrl, natsUrl } = options;
  const [postgres, nats, isBundled] = await sideBySide(stopping, [
    async (signal) => (databaseUrl ? () => ({ url: databaseUrl }) : await keepPostgres(context, signal)),
    async (signal) => (natsUrl ? () => ({ url: natsUrl }) : await keepNats(context, signal)),
    (signal) => build('bundles', { say, signal }),
    (signal) => build('widget', { say, signal }),
    (signal) => build('console', { say, signal }),
    (signal) => build('docs', { say, signal }),
  ]);
  return { postgres, nats, isBundled };
}

async function keepPostgres({ processes, say }: ServersContext, signal: AbortSignal): Promise<Servers['postgres']> {
  const common = { dataDir: paths.postgres, log: await freshLog('postgres'), onProgress: say };
  const start = onSamePort<PostgresServer>((port, stop) => startPostgres({ ...common, ...port, signal: stop }));
  const kept = await processes.keep('PostgreSQL', start, signal);
  return () => {
    const { url, pid, dataDir } = kept.running;
    return { url, pid, data_dir: dataDir };
  };
}

/** Starts a NATS server that only clients with its token can use. */
async function keepNats({ processes, say }: ServersContext, signal: AbortSignal): Promise<Servers['nats']> {
  const log = await freshLog('nats');
  const token = await keptSecret(paths.natsToken);
  const common = { storeDir: paths.nats, binDir: paths.bin, token, log, onProgress: say };
  const start = onSamePort<NatsServer>((port, stop) => startNats({ ...common, ...port, signal: stop }));
  const kept = await processes.keep('NATS', start, signal);
  return () => {
    const { url, pid, storeDir } = kept.running;
    return { url, pid, store_dir: storeDir };
  };
}

// Returns a start function that uses the same port at each restart, because the apps know a server by its address.
function onSamePort<Server extends { url: string }>(
  start: (port: { port?: number }, signal: AbortSignal) => Promise<Server>,
): (signal: AbortSignal) => Promise<Server> {
  let port: { port?: number } = {};
  return async (signal) => {
    const server = await start(port, signal);
    port = { port: Number(new URL(server.url).port) };
    return server;
  };
}
