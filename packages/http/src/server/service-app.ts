import { AppError } from '@relata/schemas/errors';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { beginExchange, type ExchangeContext, exchangeOf } from '../exchange/begin-exchange.ts';
import { type Exchange, sendError } from '../exchange/exchange.ts';

export interface ServiceAppOptions extends ExchangeContext {
  /** How errors are answered, where not in the manner of the REST API. */
  refuse?: (exchange: Exchange, error: unknown) => void;
}

/** Makes an express app whose every answer carries a request id, and which answers unknown routes in one manner. */
export function createServiceApp(options: ServiceAppOptions, addRoutes: (app: Express) => void): Express {
  const { refuse = sendError } = options;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  app.use(beginExchange(options));
  addRoutes(app);
  app.use((_request, response) => refuse(exchangeOf(response), noRoute()));
  app.use(answeringFaults(refuse));
  return app;
}

const noRoute = () => new AppError('not_found', 'There is no such route.');

/** Whatever express itself throws is a bug: every path can be decoded, and bodies are not its to read. */
const answeringFaults =
  (refuse: typeof sendError): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) =>
    refuse(exchangeOf(response), error);

/** A route for anyone that is only read. */
export function addPage(app: Express, path: string, answer: RequestHandler): void {
  const answerWithId: RequestHandler = (request, response, next) => {
    response.setHeader('X-Request-Id', exchangeOf(response).requestId);
    return answer(request, response, next);
  };
  app
    .route(path)
    .get(answerWithId)
    .all(refuseMethod(['get']));
}

/** 405 with the methods that there are; where a resource can be read, HEAD is one of them. */
export function refuseMethod(methods: readonly string[]): RequestHandler {
  const allowed = methods.map((method) => method.toUpperCase());
  if (allowed.includes('GET')) allowed.push('HEAD');
  const list = allowed.join(', ');
  const notAllowed = () => new AppError('method_not_allowed', `Allowed: ${list}.`, { data: { allowed } });
  return (_request, response) => sendError(exchangeOf(response), notAllowed(), { Allow: list });
}
