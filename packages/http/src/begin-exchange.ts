import { Histogram, type Log, type Metrics } from '@relata/runtime';
import type { Request, RequestHandler, Response } from 'express';
import { Exchange } from './exchange.ts';
import { requestIdOf } from './request-id.ts';
import type { Draining } from './server.ts';

export interface ExchangeContext {
  log: Log;
  metrics: Metrics;
  draining: Draining;
}

export function exchangeOf({ locals }: Pick<Response, 'locals'>): Exchange {
  return locals['exchange'] as Exchange;
}

/** Gives every request an id, and tells the log and the metrics when it is over. */
export function beginExchange({ log, metrics, draining }: ExchangeContext): RequestHandler {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  return (request, response, next) => {
    if (request.url.includes('%')) request.url = decodable(request.url);
    const exchange = new Exchange(requestIdOf(request), response, log, draining);
    response.locals['exchange'] = exchange;
    response.once('close', () => {
      const seconds = (performance.now() - exchange.startedAt) / 1_000;
      durations.observe({ operation: exchange.operation, status: response.statusCode }, seconds);
      logExchange(exchange, request, seconds);
    });
    next();
  };
}

/**
 * A path that cannot be decoded, made into one that can: it names no record either, and is answered in its turn, after
 * the key and the body.
 */
function decodable(url: string): string {
  const path = pathOf(url);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** One line a request. The query is left out: it may hold what people search for. */
function logExchange({ log, requestId, operation, caller, response }: Exchange, request: Request, seconds: number) {
  log.access.info({
    request_id: requestId,
    operation,
    method: request.method,
    path: pathOf(request.originalUrl),
    org_id: caller?.orgId,
    key_id: caller?.keyId,
    status: response.statusCode,
    ms: Math.round(seconds * 1e6) / 1e3,
    ...(!response.writableFinished && { aborted: true }),
  });
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
