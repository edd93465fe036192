import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import { respondToClientError, type ErrorFormat, refuseProtocol } from '../responses/protocol-error.ts';
import { Arrivals } from './arrivals.ts';

/** Shutdown state of a server. */
export class ShutdownState {
  /** Aborted when stopping begins, so that long answers end. */
  readonly stopping = new AbortController();

  get isDraining(): boolean {
    return this.stopping.signal.aborted;
  }
}

export interface ServeOptions {
  host: string;
  port: number;
  draining: ShutdownState;
  /** Time for which new connections are still served after a stop was requested. */
  drainMs: number;
  /** Format of the errors for requests that violate HTTP; that of the API by default. */
  errorFormat?: ErrorFormat;
  /** Time after which a client that reads nothing of its response is cut off; 30 seconds by default. */
  readerTimeoutMs?: number;
  /**
   * True if new connections take turns until their first request arrives, for an app that reads request bodies of
   * strangers.
   */
  connectionsTakeTurns?: boolean;
}

/** Time within which a request must arrive completely. */
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** Time for which an idle connection is kept: longer than load balancers keep it, so that they close it first. */
const keepAliveTimeoutMs = 65_000;
const readerTimeoutDefaultMs = 30_000;
/** Maximum number of connections that wait in the kernel to be accepted; `net.core.somaxconn` may lower it. */
const backlogMax = 4_096;
/** Precision of `requestTimeoutMs` and `headersTimeoutMs`. */
const timeoutChecksMs = 1_000;
/** Maximum time for accepting the waiting connections before the server stops listening. */
const acceptMaxMs = 1_000;
/** Maximum duration of a short turn of the event loop. During a longer turn, new connections may have arrived. */
const shortTurnMs = 1;
/**
 * Time without a new connection after which the server assumes that none is waiting. On a busy machine, the kernel
 * hands over a connection somewhat later than its client sees it as open.
 */
const quietMs = 10;
/** Maximum time for which idle connections are kept after the server stopped listening: a request may be on its way. */
const idleMaxMs = 500;
/** Interval for closing connections that become idle during a stop. */
const idleChecksMs = 50;

/** Serves an app until disposed; then finishes the requests in flight, so that none is dropped. */
export async function serve(app: Express, { host, port, draining, drainMs, ...options }: ServeOptions) {
  const { errorFormat = 'api', readerTimeoutMs = readerTimeoutDefaultMs, connectionsTakeTurns = false } = options;
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutChecksMs,
    // A missing Host header is refused below, since Node's own response has no body.
    requireHostHeader: false,
  });
  const arrivals = connectionsTakeTurns ? new Arrivals(server) : undefined;
  const handle: RequestListener = (request, response) => {
    arrivals?.end(request.socket);
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      return refuseProtocol(response, 400, errorFormat);
    if (!request.url!.startsWith('/')) request.url = pathIn(request.url!);
    app(request, response);
  };
  // A client that expects 100 Continue gets it when the body is read, but not if the request is refused.
  server.on('request', handle).on('checkContinue', handle);
  server.on('checkExpectation', (_request, response) => refuseProtocol(response, 417, errorFormat));
  server.on('clientError', respondToClientError(errorFormat));
  server.setTimeout(readerTimeoutMs, cutIfStalled);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ host, port, backlog: backlogMax }, resolve),
  );
  const { port: actualPort } = server.address() as AddressInfo;
  return { url: `http://${host}:${actualPort}`, [Symbol.asyncDispose]: () => stop(server, draining, drainMs) };
}

/**
 * Returns the path of an absolute request target. Express would answer by itself, without a log line, if it could not
 * parse the host.
 */
function pathIn(target: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Cuts off a stalled reader; called if a connection has neither sent nor received anything during its timeout. A
 * shrinking write queue counts as sending. A handler that is still working, or a quiet stream, is left alone: its
 * timeout starts again with the next write.
 */
function cutIfStalled(socket: Socket): void {
  const isIdle = !('_httpMessage' in socket && socket._httpMessage);
  if (isIdle || socket.writableLength > 0) socket.destroy();
}

/**
 * Stops a server. First every response asks its client to close the connection, while new connections are still
 * accepted. Then the server stops listening, but keeps its open connections for a moment: a client may be sending a
 * request. Finally it closes idle connections.
 */
async function stop(server: Server, draining: ShutdownState, drainMs: number): Promise<void> {
  draining.stopping.abort();
  await pause(drainMs);
  await acceptWaiting(server);
  // `close` of http.Server would also close idle connections at once, so `close` of net.Server is called.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await Promise.race([closed, pause(Math.min(drainMs, idleMaxMs))]);
  // This is repeated, because answers that began before the stop did not ask their clients to close the connection.
  const closing = setInterval(() => server.closeIdleConnections(), idleChecksMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(closing);
}

/**
 * Waits until hardly any connection is left to accept. When the server stops listening, the kernel resets the
 * connections that still wait. Their clients already see them as open, so requests would be lost. The event loop
 * accepts one connection per turn.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const latest = performance.now() + acceptMaxMs;
  let hasAccepted = false;
  const note = () => void (hasAccepted = true);
  server.on('connection', note);
  let quietSince = performance.now();
  for (let begun = quietSince; begun < latest && begun - quietSince < quietMs;) {
    hasAccepted = false;
    await new Promise(setImmediate);
    const ended = performance.now();
    if (hasAccepted || ended - begun > shortTurnMs) quietSince = ended;
    begun = ended;
  }
  server.off('connection', note);
}
