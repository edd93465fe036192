import { Histogram, type Log, type Metrics } from '@relata/runtime';
import { type Trace, traceFields, tracing } from '@relata/telemetry';
import type { Request, RequestHandler, Response } from 'express';
import { Exchange } from './exchange.ts';
import { createIpReader } from './logged-ip.ts';
import { readRequestId, readTraceId } from './request-id.ts';
import { beginTrace, endTrace } from './request-trace.ts';
import type { ShutdownState } from '../server/server.ts';

export interface ExchangeContext {
  log: Log;
  metrics: Metrics;
  draining: ShutdownState;
  /** Number of proxies in front, for the client's address in the log; 0 by default. */
  proxies?: number;
}

export function getExchange({ locals }: Pick<Response, 'locals'>): Exchange {
  return locals['exchange'] as Exchange;
}

/** Assigns an id to every request, and records its log line and metrics once its response is closed. */
export function beginExchange({ log, metrics, draining, proxies = 0 }: ExchangeContext): RequestHandler {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  const ipOf = createIpReader(proxies);
  return (request, response, next) => {
    if (request.url.includes('%')) request.url = decodable(request.url);
    const trace = tracing && beginTrace(request);
    const requestId = readRequestId(request);
    const traceId = trace?.traceId ?? readTraceId(request, requestId);
    const exchange = new Exchange({ requestId, traceId }, response, log, draining);
    response.locals['exchange'] = exchange;
    // Makes Node cache the address, which could no longer be read once the connection is closed.
    void request.socket.remoteAddress;
    response.once('close', () => {
      exchange.close();
      const seconds = (performance.now() - exchange.startedAt) / 1_000;
      durations.observe({ operation: exchange.operation, status: response.statusCode }, seconds);
      if (trace) endTrace(trace, request, exchange);
      if (log.access.isLevelEnabled(exchange.logLevel))
        logExchange(exchange, request, { seconds, ip: ipOf(request), trace });
    });
    if (trace) tracing!.within(trace, next);
    else next();
  };
}

/**
 * Escapes the percent signs of a path that cannot be decoded, so that it is answered like the path of a missing record.
 */
function decodable(url: string): string {
  const path = pathOf(url);
  return decoded(path) === undefined ? path.replaceAll('%', '%25') + url.slice(path.length) : url;
}

/**
 * Returns a decoded path; undefined if it cannot be decoded. The result is returned, although callers only check
 * whether it exists, because a bundler would remove a call whose result is unused.
 */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

interface Ended {
  seconds: number;
  ip: string;
  trace: Trace | undefined;
}

/** Logs a request as one line. It omits the query, which may contain search terms. */
function logExchange(exchange: Exchange, request: Request, { seconds, ip, trace }: Ended): void {
  const { log, logLevel, requestId, operation, caller, response } = exchange;
  const path = pathOf(request.originalUrl);
  log.access[logLevel]({
    request_id: requestId,
    trace_id: exchange.traceId,
    ...(trace && traceFields(trace)),
    operation,
    method: request.method,
    path: path.length > loggedPathMax ? path.slice(0, loggedPathMax) : path,
    ...(path.length > loggedPathMax && { path_length: path.length }),
    ip,
    org_id: caller?.orgId,
    key_id: caller?.keyId,
    person_id: caller?.personId,
    status: response.statusCode,
    ms: Math.round(seconds * 1e6) / 1e3,
    ...(!response.writableFinished && { aborted: true }),
  });
}

/** Maximum length of a logged path: longer than any route, but much shorter than the 16 KB that a client can send. */
const loggedPathMax = 256;

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
