import type { Caller, KnownOrigins } from '@relata/auth';
import { AppError } from '@relata/schemas/errors';
import type { Request, RequestHandler, Response } from 'express';
import { unavailable } from './responses/error-response.ts';
import { getExchange } from './exchange/begin-exchange.ts';
import { type Exchange, sendError, setExchangeHeaders } from './exchange/exchange.ts';

const allowedMethods = 'POST';
/** Request headers that our clients and the chat SDK send, in addition to those that CORS always allows. */
const allowedHeaders = 'Content-Type, X-Api-Key, Authorization, X-Request-Id, User-Agent';
const exposedHeaders =
  'X-Request-Id, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit, RateLimit-Policy, ' +
  'X-Vercel-AI-UI-Message-Stream';
/** Request headers on which a response to a web page depends. */
const varyByOrigin = 'Origin, X-Api-Key, Authorization';
/** Cache duration of preflight answers: the maximum that Chromium accepts. */
const preflightSeconds = 7_200;

/**
 * Allows web pages to read the responses of a route, including errors, if a publishable key lists their origin. Until
 * the key of the request is known, any key's origin is accepted; then `requireOrigin` checks the origins of that key.
 */
export function allowOrigins(known: Pick<KnownOrigins, 'has'>): RequestHandler {
  return async (request, response, next) => {
    const exchange = getExchange(response);
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

/** Answers a preflight request; `isKnown` is undefined if the database is unavailable. */
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
 * Throws if a publishable key is used from an origin that is not its own, or without `Origin`: every browser sends that
 * header with a POST. A secret key is accepted, but web pages cannot read its responses.
 */
export function requireOrigin({ kind, origins }: Caller, { headers }: Request, exchange: Exchange): void {
  const { origin } = headers;
  if (kind === 'publishable' && origin !== undefined && origins.includes(origin)) return allow(exchange, origin);
  if (origin !== undefined) exchange.response.removeHeader('Access-Control-Allow-Origin');
  if (kind === 'publishable') throw foreignOrigin();
}

const foreignOrigin = () => new AppError('forbidden', 'This key may not be used from this origin.');
