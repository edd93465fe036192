import { connect } from 'node:net';
import { chmod, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onFreePort } from '../free-port.ts';
import { stopStranger, type StopStep } from '../process/leftover-process.ts';
import { findNatsServer } from './nats-binary.ts';
import { launch } from '../process/server-account.ts';
import { spawnServer, type ServerProcess, type SpawnOptions } from '../process/server-process.ts';

export interface NatsOptions {
  /**
   * JetStream's folder, created if missing. A server that still uses it after its supervisor was killed is replaced.
   */
  storeDir: string;
  /** Folder for a fetched nats-server. */
  binDir: string;
  /** Port; a free one by default. */
  port?: number;
  /** Token that clients must send. Without a token, every process of the machine can use the server. */
  token?: string;
  /** Additional configuration, in the format of nats-server. */
  config?: string;
  /** Configuration for a cluster of servers that share their streams. */
  cluster?: NatsClusterPlace;
  /** File that its output is appended to; by default `nats.log` in the store folder. */
  log?: string;
  onProgress?: (line: string) => void;
  /** Aborts a start that is not ready yet. */
  signal?: AbortSignal;
}

/** Configuration of a server in a cluster. Every port is on 127.0.0.1. */
export interface NatsClusterPlace {
  /** Name of the cluster, the same for all servers. */
  name: string;
  /**
   * Unique name that stays the same after a restart: it identifies the owner of a copy of a stream to the other
   * servers.
   */
  serverName: string;
  port: number;
  /** Cluster ports of all servers, possibly including its own. */
  routes: readonly number[];
  /** Port that serves the state of the cluster over HTTP. */
  monitorPort: number;
}

export interface NatsServer extends ServerProcess {
  /** URL, including the token if there is one. */
  url: string;
  storeDir: string;
}

const readyTimeoutMs = 30_000;
const probeTimeoutMs = 1_000;
// Older servers end with code 1 on SIGTERM and with 0 on SIGINT; both close the store.
const stopSteps: readonly StopStep[] = [
  { signal: 'SIGINT', waitMs: 1_500 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** Starts a NATS server with JetStream on 127.0.0.1; fetches the program if the machine has none. */
export async function startNats(options: NatsOptions): Promise<NatsServer> {
  const program = await findNatsServer(options);
  await mkdir(options.storeDir, { recursive: true, mode: 0o700 });
  const storeDir = await realpath(options.storeDir);
  await stopLeftoverNats(storeDir);
  const logFile = options.log ?? join(storeDir, 'nats.log');
  const { token, config = '', cluster, signal } = options;
  const authorization = token === undefined ? '' : `authorization { token: ${JSON.stringify(token)} }\n`;
  const lines = authorization + config;
  const configArgs = lines === '' ? [] : ['-c', await writeConfig(storeDir, lines)];
  const args = ['-js', '-sd', storeDir, ...configArgs, ...(cluster ? clusterArgs(cluster) : [])];
  const { port, server } = await onFreePort(options.port, (port) =>
    spawnNats(program, port, args, { logFile, signal }),
  );
  await writeFile(pidPath(storeDir), String(server.pid));
  const user = token === undefined ? '' : `${encodeURIComponent(token)}@`;
  return { ...server, url: `nats://${user}127.0.0.1:${port}`, storeDir };
}

// Writes a file, because every user of the machine can read the command line of a process.
async function writeConfig(storeDir: string, lines: string): Promise<string> {
  const file = join(storeDir, 'nats.conf');
  await writeFile(file, lines, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
  return file;
}

function spawnNats(
  program: string,
  port: number,
  args: readonly string[],
  options: Pick<SpawnOptions, 'logFile' | 'signal'>,
): Promise<ServerProcess> {
  // Passes all but the token and `config` as flags, which every server since 2.2 supports.
  const address = ['-a', '127.0.0.1', '-p', String(port)];
  return spawnServer({
    ...options,
    name: 'NATS',
    launch: launch(program, [...address, ...args], undefined, 'INT'),
    stopSteps,
    isReady: () => greets(port),
    readyTimeoutMs,
  });
}

function clusterArgs({ name, serverName, port, routes, monitorPort }: NatsClusterPlace): string[] {
  const own = ['--server_name', serverName, '-m', String(monitorPort)];
  const shared = ['--cluster_name', name, '--cluster', `nats://127.0.0.1:${port}`];
  // Servers do not announce each other's addresses to clients, because a client may connect through a proxy.
  const others = ['--routes', routes.map((route) => `nats://127.0.0.1:${route}`).join(','), '--no_advertise=true'];
  return [...own, ...shared, ...others];
}

function pidPath(storeDir: string): string {
  return join(storeDir, 'nats.pid');
}

/**
 * Stops a NATS server that still runs after its supervisor was killed. Unlike the apps, it cannot watch a channel to
 * its supervisor, and it gets no signal if setpriv is missing.
 */
export async function stopLeftoverNats(storeDir: string): Promise<void> {
  const pid = Number(await readFile(pidPath(storeDir), 'utf8').catch(() => ''));
  if (pid > 0 && !(await stopStranger(pid, ['nats-server', storeDir], stopSteps))) {
    throw new Error(`A NATS server (process ${pid}) still uses ${storeDir} and does not stop. End it and try again.`);
  }
}

// The server opens its client port last, after JetStream has recovered its streams. The first line it sends to a client
// is INFO.
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const settle = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(probeTimeoutMs, () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('data', (chunk) => settle(chunk.toString('latin1').startsWith('INFO ')));
  });
}
