import type { IncomingMessage } from 'node:http';
import { hashCredential } from '@relata/auth';
import type { Db } from '@relata/db';
import { type Authorize, readClientIp, type Exchange } from '@relata/http';
import { findSession, type FoundSession, memberPermissions } from '@relata/people';
import { QueueFullError, Slots } from '@relata/runtime';
import { isUuid } from '@relata/schemas';
import { AppError, noSuchRecord } from '@relata/schemas/errors';
import type { ConsoleSpec } from '@relata/schemas/console';
import type { ConsoleCaller, Visitor } from './console-caller.ts';
import { tokenIn } from './cookie.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import { isEncrypted, requestOrigin, type OwnOrigin, requireSameOrigin } from './own-origin.ts';

/** Header that a page sends with its requests while nobody is using the page. */
const unattendedHeader = 'relata-unattended';

/**
 * Maximum number of concurrent session look-ups. One IP address gets at most half, because anybody can send invented
 * tokens.
 */
const lookUpsMax = 8;
const longestWait = { ms: 3_000, error: () => new QueueFullError('Too many sessions are being looked up.') };

export interface SessionOptions extends OwnOrigin {
  database: Db;
  browsers: KnownBrowsers;
  /** Idle time after which a session ends, in ms. */
  idleMs: number;
}

export type AuthorizeBySession = Authorize<ConsoleSpec, ConsoleCaller>;

/** Returns a function that authorizes people by their sessions, and by their permissions in the path's organization. */
export function bySession(options: SessionOptions): AuthorizeBySession {
  const lookUps = new Slots(lookUpsMax);
  const sessionOf = async (token: string, use: Parameters<typeof findSession>[2], ip: string) => {
    using _slot = await lookUps.hold([ip], { longestWait });
    return await findSession(options.database, hashCredential(token), use);
  };
  return async (spec, request, exchange) => {
    if (spec.method !== 'get') requireSameOrigin(request, options);
    const orgId = orgIdIn(spec, request);
    const isSecure = isEncrypted(request, options);
    const client = { ip: readClientIp(request, options.proxies), userAgent: request.headers['user-agent'] ?? '' };
    const token = tokenIn(request, isSecure);
    const use = { orgId, idleMs: options.idleMs, isUse: isUse(spec, request) };
    const session = token === undefined ? undefined : await sessionOf(token, use, client.ip);
    const visitor: Visitor = {
      client,
      isSecure,
      origin: requestOrigin(request, options),
      browser: await options.browsers.read(request, isSecure),
      session,
    };
    if (spec.isPublic) return visitor;
    if (!session) throw signedOut();
    return requirePermitted(spec, { ...visitor, session }, exchange, orgId);
  };
}

/**
 * Authorizes a request again while its response is being sent, since the session or the membership may have ended. Does
 * not extend the session. Throws the errors of `authorize`.
 */
export function authorizeAgain(
  authorize: AuthorizeBySession,
  spec: ConsoleSpec,
  exchange: Exchange,
): Promise<ConsoleCaller> {
  return authorize({ ...spec, isNoUse: true }, exchange.response.req as Request, exchange);
}

/**
 * Returns the error for a signed-out caller. Browsers do not know its authentication scheme, so they do not show their
 * own password prompt.
 */
const signedOut = () =>
  new AppError('unauthorized', 'You are not signed in, or your session has expired. Sign in.', {
    challenge: 'Session realm="relata console"',
  });

/** Returns true if a request extends the session. Reads of an unattended page and `isNoUse` operations do not. */
function isUse({ isNoUse, method, onlyReads }: ConsoleSpec, { headers }: IncomingMessage): boolean {
  const writes = method !== 'get' && !onlyReads;
  return !isNoUse && (writes || headers[unattendedHeader] === undefined);
}

type Request = Parameters<Authorize<ConsoleSpec, ConsoleCaller>>[1];

const nilId = '00000000-0000-0000-0000-000000000000';

/** Returns the id of the organization in the path; the nil id for text that is not a UUID. */
function orgIdIn({ params }: ConsoleSpec, request: Request): string | undefined {
  if (!params || !('org' in params.shape)) return undefined;
  const given = String(request.params['org']);
  return isUuid(given) ? given.toLowerCase() : nilId;
}

/**
 * Throws unless the caller has the permission. An organization that a person may not see does not exist for them: 404
 * comes before 403.
 */
function requirePermitted(
  { permission }: ConsoleSpec,
  caller: Visitor & { session: FoundSession },
  exchange: Exchange,
  orgId: string | undefined,
): ConsoleCaller {
  const { person, organization, membership } = caller.session;
  exchange.caller = { personId: person.id, ...(organization && { orgId: organization.id }) };
  if (orgId !== undefined && (!organization || (!membership && !person.is_operator))) throw noSuchRecord();
  const permitted = memberPermissions(person.is_operator, membership?.role ?? null);
  if (permission !== null && !permitted.includes(permission))
    throw new AppError(
      'forbidden',
      `Your role does not have the permission ${permission}. Ask an admin for another role.`,
      {
        data: { required_permission: permission },
      },
    );
  return orgId === undefined ? caller : { ...caller, orgId };
}
