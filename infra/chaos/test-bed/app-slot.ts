import { join } from 'node:path';
import { type Exit, freePorts, lastLines } from '@relata/embedded';
import { type Program, startApp } from '@relata/testbed/program';
import { KeptProcess } from '../../local/supervisor/kept-process.ts';
import { type AppName, serviceOf } from '../../services.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from '@relata/testbed/until';

export interface SlotOptions {
  app: AppName;
  /** Unique name of the slot, also used as `application_name` in PostgreSQL. */
  name: string;
  databaseUrl: string;
  natsUrls: readonly string[];
  env: Record<string, string>;
  folder: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

const scrapeTimeoutMs = 3_000;
const crashLinesMax = 3;
const graceMs = 4_000;

/**
 * A slot for a process, with fixed ports, proxies to PostgreSQL and NATS, and a supervisor that restarts the process.
 */
export class AppSlot {
  readonly name: string;
  readonly url: string;
  readonly toPostgres: TcpProxy;
  readonly toNats: readonly TcpProxy[];
  /** Ids of all processes that ran in this slot. */
  readonly pids = new Set<number>();
  readonly #metricsUrl: string;
  readonly #options: SlotOptions;
  #kept: KeptProcess<Program> | undefined;
  /** The last log lines of processes that ended although the suite had sent no signal. */
  readonly crashes: string[] = [];
  #pid: number | undefined;
  #isTold = false;

  private constructor(options: SlotOptions, ports: number[], toPostgres: TcpProxy, toNats: TcpProxy[]) {
    this.name = options.name;
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.#metricsUrl = `http://127.0.0.1:${ports[1]}/metrics`;
    this.toPostgres = toPostgres;
    this.toNats = toNats;
    this.#options = options;
  }

  static async open(options: SlotOptions): Promise<AppSlot> {
    const [toPostgres, ...toNats] = await Promise.all(
      [options.databaseUrl, ...options.natsUrls].map((url) => TcpProxy.listen(Number(new URL(url).port))),
    );
    return new AppSlot(options, await freePorts(2), toPostgres!, toNats);
  }

  async start(): Promise<void> {
    const { name, say, signal } = this.#options;
    const pauses = { firstMs: 100, mostMs: 400, calmMs: 1_000 };
    const start = (stop: AbortSignal) => this.#spawn(stop);
    this.#kept = await KeptProcess.start({ name, start, say, signal, pauses, onRestart: () => undefined });
  }

  /** Id of the process that is ready; undefined while there is none. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Sends a signal to the process. Returns false if there is none. */
  send(signal: NodeJS.Signals): boolean {
    this.#isTold ||= signal === 'SIGKILL' || signal === 'SIGTERM';
    return this.#pid !== undefined && process.kill(this.#pid, signal);
  }

  /** Waits until a process other than this one is ready. */
  async replaced(pid: number): Promise<void> {
    await until(`${this.name} is started again`, () => this.#pid !== undefined && this.#pid !== pid);
  }

  /** Returns the metrics of the current process by name and labels, or an empty map if the process does not answer. */
  async metrics(): Promise<Map<string, number>> {
    try {
      const answer = await fetch(this.#metricsUrl, { signal: AbortSignal.timeout(scrapeTimeoutMs) });
      const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
    } catch {
      return new Map();
    }
  }

  async #spawn(signal: AbortSignal): Promise<Program> {
    const { app, name } = this.#options;
    const logFile = this.#logFile;
    const options = { name, logFile, env: this.#environment(), graceMs, hasOwnSession: true, signal };
    const program = await startApp(serviceOf(app), options);
    this.#pid = program.pid;
    this.pids.add(program.pid);
    this.#isTold = false;
    void program.exited.then((exit) => this.#ended(exit));
    return program;
  }

  async #ended({ code, signal }: Exit): Promise<void> {
    this.#pid = undefined;
    if (this.#isTold) return;
    const said = await lastLines(this.#logFile, 0, crashLinesMax);
    this.crashes.push(`${this.name} ended (${signal ?? code}):\n${said}`);
  }

  get #logFile(): string {
    return join(this.#options.folder, `${this.name}.log`);
  }

  #environment(): Record<string, string> {
    const { env, databaseUrl, name } = this.#options;
    const database = new URL(databaseUrl);
    database.port = String(this.toPostgres.port);
    database.searchParams.set('application_name', name);
    return {
      LOG_LEVEL: 'warn',
      STOP_DRAIN_MS: '50',
      STOP_TIMEOUT_MS: '3000',
      ...env,
      PORT: new URL(this.url).port,
      METRICS_PORT: new URL(this.#metricsUrl).port,
      DATABASE_URL: database.href,
      NATS_URL: this.toNats.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
    };
  }

  async close(): Promise<void> {
    // A frozen process does not handle SIGTERM.
    this.send('SIGCONT');
    this.#isTold = true;
    await this.#kept?.stop();
    await Promise.all([this.toPostgres, ...this.toNats].map((proxy) => proxy[Symbol.asyncDispose]()));
  }
}
