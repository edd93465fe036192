import type { IncomingMessage } from 'node:http';
import { Histogram } from '@relata/runtime';
import { AppError, type OperationSpec } from '@relata/schemas';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import { Exchange, sendError } from './exchange.ts';
import { type ApiContext, type Handler, type Handlers, routeOf } from './operation-route.ts';
import { requestIdOf } from './request-id.ts';
import type { Draining } from './server.ts';

export interface ApiOptions<Operations extends Record<string, OperationSpec>> extends ApiContext {
  operations: Operations;
  handlers: Handlers<Operations>;
  draining: Draining;
  /** Routes beside the operations: documents and pages. */
  extend?: (app: Express) => void;
}

/** An express app that serves a list of operations, and answers in their manner to whatever else is asked. */
export function createApi<Operations extends Record<string, OperationSpec>>(options: ApiOptions<Operations>): Express {
  const { operations, handlers } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(beginExchange(options));
  const byPath = Map.groupBy(Object.entries(operations), ([, { path }]) => path);
  for (const [path, entries] of byPath) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const [id, spec] of entries)
      route[spec.method](routeOf(spec, handlers[id as keyof Operations] as Handler<OperationSpec>, options));
    route.all(refuseMethod(entries.map(([, { method }]) => method)));
  }
  options.extend?.(app);
  app.use((_request, response) =>
    sendError(exchangeOf(response), new AppError('not_found', 'There is no such route.')),
  );
  app.use(answerRoutingError);
  return app;
}

function exchangeOf(response: { locals: Record<string, unknown> }): Exchange {
  return response.locals['exchange'] as Exchange;
}

/** Gives every request an id, and tells the log and the metrics when it is over. */
function beginExchange({
  log,
  metrics,
  draining,
}: Pick<ApiOptions<never>, 'log' | 'metrics' | 'draining'>): RequestHandler {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  return (request, response, next) => {
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

/** One line a request. The query is left out: it may hold what people search for. */
function logExchange(
  { log, requestId, operation, caller, response }: Exchange,
  request: Request | IncomingMessage,
  seconds: number,
) {
  log.access.info({
    request_id: requestId,
    operation,
    method: request.method,
    path: pathOf((request as Request).originalUrl),
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

function refuseMethod(methods: readonly string[]): RequestHandler {
  const allowed = methods.map((method) => method.toUpperCase());
  if (allowed.includes('GET')) allowed.push('HEAD');
  const headers = { Allow: allowed.join(', ') };
  return (_request, response) =>
    sendError(exchangeOf(response), new AppError('method_not_allowed', `Allowed: ${headers.Allow}.`), { ...headers });
}

/** A path that cannot even be decoded names no route; anything else here is a bug. */
const answerRoutingError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const isUndecodable = error instanceof URIError || (error as { status?: number }).status === 400;
  sendError(exchangeOf(response), isUndecodable ? new AppError('not_found', 'There is no such route.') : error);
};
