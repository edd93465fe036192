import pg from 'pg';

/** Members of pg's client that its types leave out. */
type Wire = {
  ssl: unknown;
  sslNegotiation: string;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): void;
  stream: { destroy(): void };
};
type Inner = { connection: Wire; processID: number; secretKey: number };

/** Longest wait for the cancellation. If the server does not answer, the watchdog closes the client's connection. */
const cancelWaitMs = 2_000;

/**
 * Asks the server to cancel the current statement of a client. The request uses a separate connection, as the protocol
 * demands, to the client's host and port. It therefore also works through a pooler. Resolves when the server has
 * handled the request, or after 2 s. Until then the client must not run another statement, since the server might
 * cancel that statement instead. Resolves at once, without cancelling, if a certificate file cannot be read.
 */
export async function cancelStatement(config: pg.ClientConfig, client: pg.ClientBase): Promise<void> {
  const { processID, secretKey } = client as unknown as Inner;
  const { host, port } = client as unknown as pg.Client;
  const connection = openConnection(config);
  if (!connection) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), cancelWaitMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const cancel = () => connection.cancel(processID, secretKey);
    // Uses TLS if the client does: `secretKey` is a credential, and poolers may refuse unencrypted requests.
    connection.on('connect', () => {
      if (!connection.ssl) cancel();
      else if (connection.sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.on('sslconnect', cancel);
    connection.on('end', end);
    connection.on('error', end);
    // As in pg, a path is the folder of the server's Unix socket.
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}

/** Returns undefined if pg cannot read a certificate file of the URL: it reads them for each connection. */
function openConnection(config: pg.ClientConfig): Wire | undefined {
  try {
    return (new pg.Client(config) as unknown as Inner).connection;
  } catch {
    return undefined;
  }
}
