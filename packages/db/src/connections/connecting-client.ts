import pg from 'pg';

/** Errors of connections that were never established: no statement was sent over them. */
const connectErrors = new WeakSet<object>();

export function isConnectError(error: object): boolean {
  return connectErrors.has(error);
}

type Done = (error: Error) => void;

/** A client that marks the errors of connecting: those of a connection that broke later may look the same. */
class ConnectingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.Client> | void {
    if (!done) return super.connect();
    super.connect((error: Error | null) => {
      if (error) connectErrors.add(error);
      done(error as Error);
    });
  }
}

/** One whose settings could not be read. */
class UnreadableClient extends pg.Client {
  readonly #error: Error;

  constructor(error: Error) {
    super({});
    this.#error = error;
  }

  override connect(): Promise<pg.Client>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<pg.Client> | void {
    connectErrors.add(this.#error);
    if (!done) return Promise.reject(this.#error);
    process.nextTick(done, this.#error);
  }
}

/**
 * What a pool makes its clients by. A file with a certificate is read for each of them: one that is not there for a moment
 * fails the connection, and not whatever the pool was doing when it opened it.
 */
export const PooledClient = function (config: pg.ClientConfig): pg.Client {
  try {
    return new ConnectingClient(config);
  } catch (error) {
    return new UnreadableClient(error as Error);
  }
} as unknown as new () => pg.ClientBase;
