import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express } from 'express';
import { answerClientError, type ErrorManner, refuseProtocol } from '../answers/protocol-error.ts';
import { Arrivals } from './arrivals.ts';

/** Begins when the server is about to stop. */
export class Draining {
  /** Aborted when it begins: answers that would go on for long end. */
  readonly stopping = new AbortController();

  get isDraining(): boolean {
    return this.stopping.signal.aborted;
  }
}

export interface ServeOptions {
  host: string;
  port: number;
  draining: Draining;
  /** How long new connections are still served after the stop was asked for. */
  drainMs: number;
  /** How requests are refused that break HTTP; as the API does unless given. */
  errorManner?: ErrorManner;
  /** A client that reads nothing of its answer for so long is cut off; 30 seconds unless given. */
  readerTimeoutMs?: number;
  /** New connections take turns until their first request is there, for an app that reads bodies of strangers. */
  connectionsTakeTurns?: boolean;
}

/** A request must arrive whole within this time. */
const requestTimeoutMs = 30_000;
const headersTimeoutMs = 10_000;
/** Longer than balancers keep an idle connection, so that it is they who close it. */
const keepAliveTimeoutMs = 65_000;
const readerTimeoutDefaultMs = 30_000;
/** Connections that the kernel completes until they are taken; it keeps fewer where `net.core.somaxconn` says so. */
const backlogMax = 4_096;
/** How exactly the first two are held to. */
const timeoutChecksMs = 1_000;
/** How soon a connection is closed that falls idle during the stop. */
const idleChecksMs = 50;

/** Serves until disposed; then finishes the requests in flight, so that none is dropped. */
export async function serve(app: Express, { host, port, draining, drainMs, ...options }: ServeOptions) {
  const { errorManner = 'api', readerTimeoutMs = readerTimeoutDefaultMs, connectionsTakeTurns = false } = options;
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutChecksMs,
    // Refused below; Node's own refusal has no body.
    requireHostHeader: false,
  });
  const arrivals = connectionsTakeTurns ? new Arrivals(server) : undefined;
  const answer: RequestListener = (request, response) => {
    arrivals?.end(request.socket);
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      return refuseProtocol(response, 400, errorManner);
    if (!request.url!.startsWith('/')) request.url = pathIn(request.url!);
    app(request, response);
  };
  // A client that expects 100 Continue gets it when the body is read, and not when it is refused.
  server.on('request', answer).on('checkContinue', answer);
  server.on('checkExpectation', (_request, response) => refuseProtocol(response, 417, errorManner));
  server.on('clientError', answerClientError(errorManner));
  server.setTimeout(readerTimeoutMs, cutIfStalled);
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ host, port, backlog: backlogMax }, resolve),
  );
  const { port: actualPort } = server.address() as AddressInfo;
  return { url: `http://${host}:${actualPort}`, [Symbol.asyncDispose]: () => stop(server, draining, drainMs) };
}

/** Returns the path of an absolute target. Express answers by itself, and unlogged, if it cannot read the host. */
function pathIn(target: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Called when nothing has moved on a connection for its timeout; a queue of writes that shrinks is movement. A handler that
 * is still at work, or a stream that is quiet, is left alone: the timeout begins anew with its next write.
 */
function cutIfStalled(socket: Socket): void {
  const isIdle = !('_httpMessage' in socket && socket._httpMessage);
  if (isIdle || socket.writableLength > 0) socket.destroy();
}

/**
 * First every answer asks its client to close the connection, while new connections are still accepted; then the server
 * stops listening and closes idle connections.
 */
async function stop(server: Server, draining: Draining, drainMs: number): Promise<void> {
  draining.stopping.abort();
  await pause(drainMs);
  // Right after the event loop has accepted every connection that waited, so that none of them is refused.
  await new Promise(setImmediate);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Again and again: an answer that began before the stop did not ask its client to leave.
  const closing = setInterval(() => server.closeIdleConnections(), idleChecksMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(closing);
}
