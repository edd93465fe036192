import type pg from 'pg';

type Connection = pg.PoolClient & { connection?: { stream: { destroy(error: Error): void } } };

const checkEveryMs = 1_000;

/**
 * Closes connections that have been in use for too long: the server's own timeout does not help if the server, or the
 * network to it, does not answer. One timer watches all connections. A timer per statement, as with pg's
 * `query_timeout`, would take a tenth of the CPU time of a short request, and keep its memory from being freed.
 */
export class Watchdog implements Disposable {
  readonly #lentSince = new Map<Connection, number>();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pool: pg.Pool, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    pool.on('acquire', (client) => this.#lentSince.set(client, performance.now()));
    pool.on('release', (_error, client) => this.#lentSince.delete(client as Connection));
    pool.on('remove', (client) => this.#lentSince.delete(client));
    this.#timer = setInterval(() => this.#check(), Math.min(checkEveryMs, timeoutMs)).unref();
  }

  #check(): void {
    const latest = performance.now() - this.#timeoutMs;
    for (const [client, since] of this.#lentSince) {
      // pg has no public way to drop a connection without waiting for it.
      if (since < latest) client.connection?.stream.destroy(new Error('Connection terminated: no answer in time'));
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
