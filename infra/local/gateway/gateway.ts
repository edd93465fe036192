import { once } from 'node:events';
import { createServer, type Agent, type RequestListener, type Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { openAppAgent } from './app-agent.ts';
import { forward } from './forward.ts';
import { refuse, refuseMalformed } from './malformed.ts';
import { appFor, isForSite, isVisit } from './routes.ts';
import type { AppName } from '../../services.ts';

export interface GatewayOptions {
  port: number;
  /** Address of each app, even if the app is not running. */
  targets: Record<AppName, { url: string }>;
  /** Answers requests for the demo site. Without it, these requests go to an app. */
  site?: RequestListener;
  /** Time within which a request must have arrived completely. */
  requestMaxMs?: number;
}

export interface Gateway {
  url: string;
  /** Stops accepting connections. Responses in flight can finish. */
  refuse(): void;
  /** Waits for active answers for at most this long, then closes every connection. */
  close(graceMs: number): Promise<void>;
}

const host = '127.0.0.1';
const headersMaxMs = 10_000;
// Limits slightly below those of the apps, so that excessive requests are refused here, with a body that gives the
// reason.
const requestMaxDefaultMs = 29_000;
const headersBytesMax = 16_384 - 128;
const timeoutChecksMs = 500;
const keepAliveMs = 65_000;

/** Starts the gateway, which makes all apps reachable at one address. Rejects if the port is in use. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const agent = openAppAgent();
  const server = createGatewayServer(options, agent);
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  await listen(server, options.port);
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : options.port;
  return {
    url: `http://${host}:${actualPort}`,
    refuse: () => server.close().closeIdleConnections(),
    close: (graceMs) => close(server, closed, agent, graceMs),
  };
}

function createGatewayServer(options: GatewayOptions, agent: Agent): Server {
  const requestTimeout = options.requestMaxMs ?? requestMaxDefaultMs;
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    requestTimeout,
    headersTimeout: Math.min(headersMaxMs, requestTimeout),
    connectionsCheckingInterval: timeoutChecksMs,
    maxHeaderSize: headersBytesMax,
    // A missing Host is refused below, because Node's own refusal has no body.
    requireHostHeader: false,
  });
  refuseMalformed(server);
  const onRequest: RequestListener = (request, response) => {
    if (request.httpVersion === '1.1' && request.headers.host === undefined) return refuse({ request, response }, 400);
    const url = originForm(request.url ?? '');
    request.url = url;
    if (options.site && (isForSite(url) || isVisit(request))) return options.site(request, response);
    const app = new URL(options.targets[appFor(url)].url);
    forward({ request, response, app, agent, isClosing: () => !server.listening });
  };
  server.on('request', onRequest).on('checkContinue', onRequest);
  // With this option, which Node does not document, a client that closes its side after its request gets its response.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Returns the target of a request in origin form, because some clients send the absolute form (RFC 9112, section
 * 3.2.2).
 */
function originForm(url: string): string {
  return /^https?:\/\//i.test(url) ? url.replace(/^https?:\/\/[^/?#]*/i, '') || '/' : url;
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (!isTaken) throw cause;
    throw new Error(`Port ${port} is taken. Stop the program using it, or choose another: PORT=${port + 1} npm start`, {
      cause,
    });
  }
}

async function close(server: Server, closed: Promise<void>, agent: Agent, graceMs: number): Promise<void> {
  server.close().closeIdleConnections();
  const timer = new AbortController();
  await Promise.race([closed, pause(graceMs, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  server.closeAllConnections();
  agent.destroy();
}
