import { startNats, startPostgres, type NatsServer, type PostgresServer } from '@relata/embedded';
import { KeptProcess } from './kept-process.ts';
import { paths } from '../paths.ts';
import { keptSecret } from '../kept-secrets.ts';
import { freshLog } from './log-files.ts';

export interface KeepContext {
  say: (line: string) => void;
  /** Gives up the first start. */
  signal: AbortSignal;
  onRestart: () => void;
}

/** The embedded PostgreSQL, started again on its port when it dies. */
export async function keepPostgres({ say, signal, onRestart }: KeepContext): Promise<KeptProcess<PostgresServer>> {
  const log = await freshLog('postgres');
  const common = { dataDir: paths.postgres, log, onProgress: say };
  const start = onSamePort((port, stop) => startPostgres({ ...common, ...port, signal: stop }));
  return KeptProcess.start({ name: 'PostgreSQL', start, say, onRestart, signal });
}

/** An own NATS server that lets in who has its token, started again on its port when it dies. */
export async function keepNats({ say, signal, onRestart }: KeepContext): Promise<KeptProcess<NatsServer>> {
  const log = await freshLog('nats');
  const token = await keptSecret(paths.natsToken);
  const common = { storeDir: paths.nats, binDir: paths.bin, token, log, onProgress: say };
  const start = onSamePort((port, stop) => startNats({ ...common, ...port, signal: stop }));
  return KeptProcess.start({ name: 'NATS', start, say, onRestart, signal });
}

// The apps know a server by its address, so it comes back where it was.
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
