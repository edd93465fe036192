import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createProxyServer, type ProxyServer } from 'httpxy';
import { endAfterRequest, passResponse } from './gateway.response.ts';
import { appFor, type AppName } from './gateway.routes.ts';
import { sendUnavailable } from './gateway.unavailable.ts';

export interface GatewayOptions {
  port: number;
  /** Where each app listens, whether it is up or not. */
  targets: Record<AppName, { url: string }>;
}

export interface Gateway {
  url: string;
  /** Takes no new connection; what is being answered may go on. */
  refuse(): void;
  /** Ends everything, politely for at most this long. */
  close(graceMs: number): Promise<void>;
}

const host = '127.0.0.1';
const keepAliveMs = 65_000;
// Silence, not length: a stream may go on as long as something arrives now and then.
const silenceMaxMs = 120_000;

/** Opens the one address in front of the apps. Rejects when the port is taken. */
export async function openGateway({ port, targets }: GatewayOptions): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });
  const proxy = createProxyServer({ agent, selfHandleResponse: true, proxyTimeout: silenceMaxMs });
  proxy.on('proxyReq', (upstream, request) => (upstream.path = request.url ?? '/'));
  proxy.on('proxyRes', (answer, request, response) => {
    // While closing, an answer is the last one on its connection.
    response.shouldKeepAlive &&= server.listening;
    passResponse(answer, request, response);
  });
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    void forward(proxy, targets, request, response, 1);
  });
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  await listen(server, port);
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host}:${actualPort}`,
    refuse: () => server.close().closeIdleConnections(),
    close: (graceMs) => close(server, closed, agent, graceMs),
  };
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (!isTaken) throw cause;
    throw new Error(`Port ${port} is taken. Stop what uses it, or choose another: PORT=${port + 1} npm start`, {
      cause,
    });
  }
}

async function forward(
  proxy: ProxyServer,
  targets: GatewayOptions['targets'],
  request: IncomingMessage,
  response: ServerResponse,
  attempt: number,
): Promise<void> {
  try {
    await proxy.web(request, response, {
      target: targets[appFor(request.url ?? '')].url,
      headers: forwardedHeaders(request),
    });
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    if (attempt === 1 && isRepeatable(request)) return forward(proxy, targets, request, response, 2);
    refuseOrDrop(request, response, error);
  }
}

// The first attempt may have met a kept connection in the moment in which the app closed it.
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return (method === 'GET' || method === 'HEAD') && !hasBody;
}

// 503 promises that nothing was done. That holds when the app was never reached, or
// never got the whole request. Otherwise it may have done its work and died before it
// could say so: then the connection is cut, as it would have been without a gateway,
// and the sender knows that it does not know. Sending it again is the sender's to decide.
function refuseOrDrop(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const wasNeverReached = error instanceof Error && 'syscall' in error && error.syscall === 'connect';
  const changesNothing = request.method === 'GET' || request.method === 'HEAD';
  if (!wasNeverReached && !changesNothing && request.complete) return void response.destroy();
  sendUnavailable(request, response);
  endAfterRequest(request, response);
}

// The app trusts one proxy, so the last address in the list is what counts; what the
// client claimed stands before it. Connection is a matter between each two neighbours.
function forwardedHeaders({ headers, socket }: IncomingMessage): Record<string, string> {
  const claimed = headers['x-forwarded-for'];
  const chain = [...(claimed ? [claimed] : []), socket.remoteAddress ?? ''].join(', ');
  return { 'x-forwarded-for': chain, connection: 'keep-alive' };
}

async function close(server: Server, closed: Promise<void>, agent: Agent, graceMs: number): Promise<void> {
  server.close().closeIdleConnections();
  const timer = new AbortController();
  await Promise.race([closed, pause(graceMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  server.closeAllConnections();
  agent.destroy();
}
