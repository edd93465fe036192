import type { Database, Executor } from '@relata/db';
import type { Actor, Bus, EventFeed, OperationContext } from '@relata/events';
import type { Exchange, Handler } from '@relata/http';
import { AppError } from '@relata/schemas/errors';
import type { EncryptionKeys } from '@relata/secrets';
import type { ConsoleOperations } from '@relata/schemas/console';
import { toActor, type CallerOf, type OrgCaller } from '../session/console-caller.ts';
import type { AuthorizeBySession } from '../session/authorize.ts';
import type { SignInLimits } from '../session/sign-in-limits.ts';
import type { KnownBrowsers } from '../session/known-browsers.ts';

/** Dependencies of all handlers. */
export interface ConsoleContext {
  database: Database;
  executor: Executor;
  bus: Bus;
  feed: EventFeed;
  signInLimits: SignInLimits;
  browsers: KnownBrowsers;
  /** Function that authorizes a request. Handlers of long responses call it again while sending. */
  authorize: AuthorizeBySession;
  /** Maximum idle time and total time of a session, in ms. */
  span: { idleMs: number; maxMs: number };
  /** Days for which deleted records can be restored. */
  trashDays: number;
  /** Origin of the API, the triggers and the chat. If undefined, the origin of the console is used. */
  publicUrl: string | undefined;
  /** Keys that encrypt the secrets of signing senders. If undefined, such secrets cannot be stored. */
  signingKeys?: EncryptionKeys | undefined;
  /** Keys that encrypt the team channels of organizations. If undefined, channels cannot be stored. */
  notifyKeys?: EncryptionKeys | undefined;
}

/** Handlers of all operations, each with the kind of caller that its operation declares. */
export type ConsoleHandlers = {
  [Id in keyof ConsoleOperations]: Handler<ConsoleOperations[Id], CallerOf<ConsoleOperations[Id]>>;
};

/**
 * Returns the context and the actor for an operation of a signed-in person. The context's database uses only the
 * organization's share of the connections.
 */
export function onBehalf(
  { database, bus }: ConsoleContext,
  caller: OrgCaller,
  { requestId }: Exchange,
): [context: OperationContext, actor: Actor] {
  return [{ database: database.of(caller.orgId), bus }, toActor(caller, requestId)];
}

/** Converts the name of an operation's field to that in the request body: `expiresAt` becomes `expires_at`. */
export const toFieldName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Renames the fields in an operation's error to those of the request body. `placeOf` returns the path of a field in the
 * body, if it is not the same as in the operation.
 */
export async function inBodyNames<Result>(work: Promise<Result>, placeOf = (field: string) => field): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    const details = error.details.map((detail) => ({
      ...detail,
      field: toFieldName(placeOf(detail.field)).replace(/_ms$/, '_seconds'),
    }));
    throw new AppError(error.code, error.message, { details, cause: error });
  }
}
