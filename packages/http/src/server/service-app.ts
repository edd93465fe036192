import { AppError } from '@relata/schemas/errors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { beginExchange, type ExchangeContext, getExchange } from '../exchange/begin-exchange.ts';
import { type Exchange, sendError } from '../exchange/exchange.ts';

export interface ServiceAppOptions extends ExchangeContext {
  /** Sends errors in another format than that of the REST API. */
  refuse?: (exchange: Exchange, error: unknown) => void;
}

/**
 * Creates an express app. All its responses have a request id, and an unknown route is answered like any other error.
 */
export function createServiceApp(options: ServiceAppOptions, addRoutes: (app: Express) => void): Express {
  const { refuse = sendError } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(beginExchange(options));
  addRoutes(app);
  app.use((_request, response) => refuse(getExchange(response), noRoute()));
  app.use(answeringFaults(refuse));
  return app;
}

const noRoute = () => new AppError('not_found', 'There is no such route.');

/** Treats every error of express itself as a bug, since all paths can be decoded and express reads no bodies. */
const answeringFaults =
  (refuse: typeof sendError): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) =>
    refuse(getExchange(response), error);

/** Adds a public GET route for a path, or for all paths that match a pattern. */
export function addPage(app: Express, path: string | RegExp, handler: RequestHandler): void {
  const handleWithId: RequestHandler = (request, response, next) => {
    response.setHeader('X-Request-Id', getExchange(response).requestId);
    return handler(request, response, next);
  };
  app
    .route(path)
    .get(handleWithId)
    .all(refuseMethod(['get']));
}

/** Returns a handler that answers 405 with the allowed methods, including HEAD if GET is one. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  const allowed = methods.map((method) => method.toUpperCase()).toSorted();
  if (allowed.includes('GET')) allowed.push('HEAD');
  const list = allowed.join(', ');
  const notAllowed = () => new AppError('method_not_allowed', `Allowed: ${list}.`, { data: { allowed } });
  return (_request, response) => sendError(getExchange(response), notAllowed(), { Allow: list });
}
