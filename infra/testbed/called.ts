import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Starts another system that workflows call. It refuses the first call, so that there is a second attempt. */
export async function startCalled(refusals = 1) {
  const calls: IncomingMessage['headers'][] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    await text(request);
    calls.push(request.headers);
    response.writeHead(calls.length > refusals ? 200 : 503).end('{}');
  };
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}
