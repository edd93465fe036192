import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves requests on a free port of this machine, reports its URL to `startProgram`, and exits with its parent. */
export function serveReady(listener: RequestListener): void {
  const server = createServer({ keepAliveTimeout: 65_000 }, listener);
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1_024 }, () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}` });
  });
  process.once('disconnect', () => process.exit());
}
