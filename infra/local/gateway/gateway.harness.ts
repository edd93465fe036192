import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { openGateway, type Gateway, type GatewayOptions } from './gateway.ts';

const nowhere = { url: 'http://127.0.0.1:1' };
export const allAway = {
  'records-api': nowhere,
  'chat-gateway': nowhere,
  console: nowhere,
  'webhook-ingest': nowhere,
  'workflow-worker': nowhere,
};

let gateways: Gateway[] = [];
let servers: Server[] = [];

afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close(0)));
  for (const server of servers) server.close().closeAllConnections();
  gateways = [];
  servers = [];
});

/** Starts a server that stands in for an app and answers with `listener`. It is closed after the test. */
export async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Starts a gateway in front of these apps. All other apps are unreachable. The gateway is closed after the test. */
export async function open(targets: Partial<GatewayOptions['targets']>, requestMaxMs?: number): Promise<Gateway> {
  const limit = requestMaxMs === undefined ? {} : { requestMaxMs };
  const gateway = await openGateway({ port: 0, targets: { ...allAway, ...targets }, ...limit });
  gateways.push(gateway);
  return gateway;
}

/** Writes these bytes, closes the client's side if `isHalfClosing`, and returns all data until the gateway closes. */
export async function exchange(url: string, bytes: string, { isHalfClosing = false } = {}): Promise<string> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  if (isHalfClosing) socket.end(bytes, 'latin1');
  else socket.write(bytes, 'latin1');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}
