import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Starts a server on a free port of 127.0.0.1. `close` also ends the connections of an HTTP server. */
export async function listen(server: Server & { closeAllConnections?(): void }) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    const closed = server[Symbol.asyncDispose]();
    server.closeAllConnections?.();
    await closed;
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}
