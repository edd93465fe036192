import pg from 'pg';

/** Errors of connections that were never established: no statement was sent over them. */
const connectErrors = new WeakSet<object>();

export function isConnectError(error: object): boolean {
  return connectErrors.has(error);
}

type Done = (error: Error) => void;

/** A client that marks the errors of connecting: those of a connection that broke later may look the same. */
export class ConnectingClient extends pg.Client {
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
