import pg from 'pg';

/** Errors of connections that were never established; no statement was sent. */
const connectErrors = new WeakSet<object>();

export function isConnectError(error: object): boolean {
  return connectErrors.has(error);
}

type Done = (error: Error) => void;

/**
 * A client that records the errors of failed connection attempts: the error itself does not tell whether there was a
 * connection, since a connection that breaks later may fail with the same code.
 */
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
 * Constructor that a pool uses for its clients. It reads the certificate files for each client. If a file is missing
 * for a moment, only this connection attempt fails; an exception in the constructor could end the process.
 */
export const PooledClient = function (config: pg.ClientConfig): pg.Client {
  try {
    return new ConnectingClient(config);
  } catch (error) {
    return new UnreadableClient(error as Error);
  }
} as unknown as new () => pg.ClientBase;
