import type { IncomingMessage } from 'node:http';
import type { Caller, CallerCache } from '@relata/auth';
import type { Party } from '@relata/runtime';
import type { OperationSpec, Scope } from '@relata/schemas';
import { AppError, scopeMissing } from '@relata/schemas/errors';
import type { Request } from 'express';
import { requireOrigin } from './cors.ts';
import { queryOf } from './exchange/query.ts';
import type { Exchange } from './exchange/exchange.ts';

/** Finds the caller of a request; undefined if there is none. Returns a promise only if it has to wait. */
export type Authenticate = (request: IncomingMessage) => Caller | undefined | Promise<Caller | undefined>;

export function byApiKey(callerCache: CallerCache): Authenticate {
  return (request) => {
    const key = keyOf(request);
    return key === undefined ? undefined : callerCache.identify(key);
  };
}

/** Returns the caller of a request; throws an AppError if there is none or the caller lacks a permission. */
export type Authorize<Spec, Who> = (spec: Spec, request: Request, exchange: Exchange) => Promise<Who>;

/** Authorizes callers of the API by the scopes and origins of their keys. */
export function byScope(authenticate: Authenticate): Authorize<OperationSpec, Caller> {
  return async (spec, request, exchange) => {
    const identified = authenticate(request);
    const caller = identified instanceof Promise ? await identified : identified;
    if (!caller) throw new AppError('unauthorized', unauthorized, { challenge: 'Bearer realm="relata"' });
    exchange.caller = caller;
    requireOrigin(caller, request, exchange);
    const scope = spec.scopeOf?.(queryOf(request.url)) ?? spec.scope;
    if (scope !== null && !hasScope(spec.scopes ?? { scope }, caller)) throw scopeMissing(scope);
    return caller;
  };
}

/**
 * Returns true if the caller has the scope of the operation. If the scope depends on the body, any of the possible
 * scopes is enough to read the body.
 */
const hasScope = (scopes: Readonly<Record<string, Scope>>, caller: Caller) =>
  Object.values(scopes).some((each) => caller.scopes.has(each));

/** Throws `forbidden` if the key lacks the scope for the `operation` that the body names. */
export function requireScope({ scopes }: OperationSpec, body: unknown, caller: Caller): void {
  const scope = scopes?.[(body as { operation: string }).operation];
  if (scope !== undefined && !caller.scopes.has(scope)) throw scopeMissing(scope);
}

/** Message for a key that is missing, malformed, unknown, expired or revoked. */
const unauthorized = 'The API key is missing or not valid. Send it as X-Api-Key or Authorization: Bearer.';

/** Returns the party of a request: its key, within its organization. */
export const partyOfKey = (_request: Request, { orgId, keyId }: Caller): Party => [orgId, keyId];

/** Returns the API key of a request. `X-Api-Key` takes precedence over `Authorization`. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  const { authorization } = headers;
  return authorization && /^bearer /i.test(authorization) ? authorization.slice(7).trim() : undefined;
}
