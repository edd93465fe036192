import pg from 'pg';

/** Errors of connections that were never established, so that no statement was sent. */
const connectErrors = new WeakSet<object>();

export function isConnectError(error: object): boolean {
  return connectErrors.has(error);
}

type Done = (error: Error) => void;

/** A client that marks errors of connecting, since errors of a connection that breaks later may look the same. */
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

/** A client whose settings could not be read; connecting fails with that error. */
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
 * Constructor with which a pool creates its clients. A certificate file is read for each client: if it is missing for a
 * moment, only this connection fails, and not the operation for which the pool opened it.
 */
export const PooledClient = function (config: pg.ClientConfig): pg.Client {
  try {
    return new ConnectingClient(config);
  } catch (error) {
    return new UnreadableClient(error as Error);
  }
} as unknown as new () => pg.ClientBase;
