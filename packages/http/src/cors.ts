import type { Caller, KnownOrigins } from '@relata/auth';
import { AppError } from '@relata/schemas/errors';
import type { Request, RequestHandler, Response } from 'express';
import { exchangeOf } from './exchange/begin-exchange.ts';
import { type Exchange, sendError, setExchangeHeaders } from './exchange/exchange.ts';

const allowedMethods = 'POST';
/** What our clients and the chat SDK send beside what any page may. */
const allowedHeaders = 'Content-Type, X-Api-Key, Authorization, X-Request-Id, User-Agent';
const exposedHeaders =
  'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit, RateLimit-Policy, ' +
  'X-Vercel-AI-UI-Message-Stream';
/** What an answer to a web page depends on. */
const varyByOrigin = 'Origin, X-Api-Key, Authorization';
/** Longer than browsers cache it. */
const preflightSeconds = 7_200;

/**
 * Lets web pages read what a route answers, errors too: those of the origins on publishable keys. Until the key of a
 * request is known, that is any key's; then `requireOrigin` holds it to its own.
 */
export function allowOrigins(known: Pick<KnownOrigins, 'has'>): RequestHandler {
  return async (request, response, next) => {
    const exchange = exchangeOf(response);
    exchange.vary = varyByOrigin;
    const { origin } = request.headers;
    if (origin === undefined) return next();
    const isKnown = await known.has(origin).catch(() => undefined);
    if (isKnown) allow(exchange, origin);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return next();
    return answerPreflight(exchange, response, isKnown);
  };
}

/** Answers a preflight request; `isKnown` is undefined where the database cannot be asked. */
function answerPreflight(exchange: Exchange, response: Response, isKnown: boolean | undefined): void {
  exchange.operation = 'preflight';
  if (isKnown === undefined) return sendError(exchange, unavailable());
  if (!isKnown) return sendError(exchange, foreignOrigin());
  setExchangeHeaders(exchange);
  response.setHeader('Access-Control-Allow-Methods', allowedMethods);
  response.setHeader('Access-Control-Allow-Headers', allowedHeaders);
  response.setHeader('Access-Control-Max-Age', preflightSeconds);
  response.writeHead(204).end();
}

function allow(exchange: Exchange, origin: string): void {
  const { response } = exchange;
  exchange.vary = varyByOrigin;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders);
}

/**
 * A publishable key works from the pages of its own origins alone, and from nowhere that does not say what it is:
 * every browser sends `Origin` with a POST. A secret key is not for web pages, which may not read what it is answered.
 */
export function requireOrigin({ kind, origins }: Caller, { headers }: Request, exchange: Exchange): void {
  const { origin } = headers;
  if (kind === 'publishable' && origin !== undefined && origins.includes(origin)) return allow(exchange, origin);
  if (origin !== undefined) exchange.response.removeHeader('Access-Control-Allow-Origin');
  if (kind === 'publishable') throw foreignOrigin();
}

const foreignOrigin = () => new AppError('forbidden', 'This key may not be used from this origin.');
const unavailable = () =>
  new AppError('service_unavailable', 'The service cannot answer right now. Try again.', { retryAfterSeconds: 1 });
