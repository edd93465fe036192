import type { Caller } from '@relata/auth';
import { AppError } from '@relata/schemas/errors';
import type { Request } from 'express';
import type { Exchange } from '../exchange/exchange.ts';
import type { SharedLimit } from './shared-limit.ts';

/** Admits a request before its body is read, or throws `rate_limited`. */
export type Admission<Who = Caller> = (request: Request, caller: Who, exchange: Exchange) => Promise<void> | void;

/** Applies a limit to the key that `keyOf` returns, and adds the remaining limit to the response's headers. */
export function limitedBy<Who = Caller>(
  limit: SharedLimit,
  keyOf: (request: Request, caller: Who) => string,
): Admission<Who> {
  return async (request, caller, exchange) => {
    const taken = await limit.take(keyOf(request, caller));
    exchange.taken = taken;
    if (!taken.isAllowed) throw tooMany(taken.resetSeconds);
  };
}

/** Returns the error for 429, with the seconds until a retry makes sense. */
export function tooMany(retryAfterSeconds: number): AppError {
  return new AppError('rate_limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds });
}
