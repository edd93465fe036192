import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../free-port.ts';
import { type NatsClusterPlace, type NatsOptions, type NatsServer, startNats } from './nats-server.ts';

export interface NatsClusterOptions extends Pick<NatsOptions, 'binDir' | 'onProgress' | 'signal'> {
  /** Folder with a subfolder for each server. */
  folder: string;
  /** Number of servers, 3 by default. A single server is not clustered. */
  size?: number;
}

const portsEach = 3;
/**
 * Timeout for the election of a leader. After a split vote, which is likely on a busy machine, the servers vote again
 * some seconds later.
 */
const leaderTimeoutMs = 90_000;
const askTimeoutMs = 1_000;
const pollMs = 50;

/** A server that can be restarted with the same ports and store, even after it was killed. */
export class NatsNode {
  readonly name: string;
  readonly url: string;
  readonly storeDir: string;
  readonly monitorUrl: string | undefined;
  readonly #options: NatsOptions;
  #running: NatsServer | undefined;

  constructor(name: string, options: NatsOptions & { port: number }) {
    this.name = name;
    this.url = `nats://127.0.0.1:${options.port}`;
    this.storeDir = options.storeDir;
    this.monitorUrl = options.cluster && `http://127.0.0.1:${options.cluster.monitorPort}`;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Starts the server, and returns once it accepts clients. */
  async start(): Promise<void> {
    this.#running ??= await startNats(this.#options);
  }

  /** Kills the server with SIGKILL. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    process.kill(running.pid, 'SIGKILL');
    await running.exited;
  }

  /** Deletes the store; throws while the server runs. */
  async erase(): Promise<void> {
    if (this.#running) throw new Error(`${this.name} is running. Kill it before erasing its store.`);
    await rm(this.storeDir, { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.stop();
  }

  /** Returns the name of JetStream's leader according to this server, or undefined if it knows none. */
  async leader(): Promise<string | undefined> {
    const { meta_cluster: cluster } = await this.#ask('/jsz');
    return cluster?.leader || undefined;
  }

  /** Returns the number of copies of each stream that this server keeps, by the stream's name. */
  async streamCopies(): Promise<Map<string, number>> {
    const { account_details: accounts = [] } = await this.#ask('/jsz?accounts=true&streams=true');
    const streams = accounts.flatMap(({ stream_detail: found }) => found ?? []);
    return new Map(streams.map(({ name, cluster }) => [name, 1 + (cluster?.replicas?.length ?? 0)]));
  }

  /** Returns the server's response, or an empty state if it does not respond. */
  async #ask(path: string): Promise<JetStreamState> {
    try {
      const response = await fetch(`${this.monitorUrl}${path}`, { signal: AbortSignal.timeout(askTimeoutMs) });
      return (await response.json()) as JetStreamState;
    } catch {
      return {};
    }
  }
}

/** The fields of a server's `/jsz` that are used. */
interface JetStreamState {
  meta_cluster?: { leader?: string };
  account_details?: { stream_detail?: { name: string; cluster?: { replicas?: unknown[] } }[] }[];
}

/** NATS servers on this machine that keep copies of each other's streams. */
export class NatsCluster implements AsyncDisposable {
  readonly nodes: readonly NatsNode[];

  private constructor(nodes: readonly NatsNode[]) {
    this.nodes = nodes;
  }

  /** Starts all servers, and returns once they agree on a leader. */
  static async start(options: NatsClusterOptions): Promise<NatsCluster> {
    const cluster = new NatsCluster(await layOut(options));
    try {
      await cluster.startAll();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Addresses of all servers, separated by commas. */
  get url(): string {
    return this.nodes.map(({ url }) => url).join(',');
  }

  /** Starts the servers that do not run, and waits until they agree on a leader. */
  async startAll(): Promise<void> {
    // One by one, because the first may have to fetch the program.
    for (const node of this.nodes) await node.start();
    await this.agreed();
  }

  /** Waits until all running servers name the same leader and that leader is running, and returns its name. */
  async agreed(): Promise<string> {
    if (this.nodes.length === 1) return this.nodes[0]!.name;
    const deadline = Date.now() + leaderTimeoutMs;
    for (;;) {
      const running = this.nodes.filter(({ isRunning }) => isRunning);
      const [leader, ...others] = new Set(await Promise.all(running.map((node) => node.leader())));
      if (leader !== undefined && others.length === 0 && running.some(({ name }) => name === leader)) return leader;
      if (Date.now() > deadline)
        throw new Error(`The NATS servers had no common leader after ${leaderTimeoutMs / 1_000} s.`);
      await pause(pollMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

async function layOut({ folder, size = 3, ...common }: NatsClusterOptions): Promise<NatsNode[]> {
  const ports = await freePorts(size * portsEach);
  const routes = ports.slice(size, size * 2);
  return Array.from({ length: size }, (_, at) => {
    const name = `nats-${at + 1}`;
    const place = { name: 'relata', serverName: name, port: routes[at]!, routes, monitorPort: ports[size * 2 + at]! };
    const cluster: { cluster?: NatsClusterPlace } = size === 1 ? {} : { cluster: place };
    return new NatsNode(name, { ...common, ...cluster, storeDir: join(folder, name), port: ports[at]! });
  });
}
