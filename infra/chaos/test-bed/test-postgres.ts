import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@relata/embedded';
import { until } from '@relata/testbed/until';
import { copyPreparedPostgres } from '@relata/testing';

/** A PostgreSQL that restarts on the same port. */
export class TestPostgres implements AsyncDisposable {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  #running: PostgresServer | undefined;
  #url = '';

  private constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  static async start(folder: string, signal: AbortSignal): Promise<TestPostgres> {
    const bed = new TestPostgres(folder, signal);
    await copyPreparedPostgres(bed.#dataDir);
    await bed.start();
    return bed;
  }

  get url(): string {
    return this.#url;
  }

  /** Undefined until the first start, which chooses a free port. */
  get #port(): number | undefined {
    return this.#url === '' ? undefined : Number(new URL(this.#url).port);
  }

  async start(): Promise<void> {
    const [dataDir, port] = [this.#dataDir, this.#port];
    this.#running = await startPostgres({ dataDir, log: this.#log, port, signal: this.#signal });
    this.#url = this.#running.url;
  }

  /** Ends the server, and returns once its port is closed. Its child processes end by themselves. */
  async end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    process.kill(running.pid, signal);
    await running.exited;
    await until('the port of PostgreSQL is closed', () => isRefused(this.#port!));
  }

  /** Counts deadlocks in the log, because PostgreSQL loses its own counters when it is killed. */
  async countDeadlocks(): Promise<number> {
    return (await readFile(this.#log, 'utf8')).split('ERROR:  deadlock detected').length - 1;
  }

  get #dataDir(): string {
    return join(this.#folder, 'postgres');
  }

  get #log(): string {
    return join(this.#folder, 'postgres.log');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop();
  }
}

async function isRefused(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}
