import { hashCredential } from '@relata/auth';
import type { Exchange } from '@relata/http';
import { endSession, findSession, readLink, redeemLink, signIn } from '@relata/people';
import type { Visitor } from '../session/console-caller.ts';
import { noCookie, sessionCookie } from '../session/cookie.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';
import { describeMe } from './me.ts';

/** Sets the cookie of a new session, ends the one that the browser had, and answers who is signed in now. */
export async function answerSignedIn(
  { database, span, publicUrl }: ConsoleContext,
  token: string,
  { caller, exchange }: { caller: Visitor; exchange: Exchange },
) {
  const { session: before } = caller;
  if (before) await endSession(database, before.person.id, before.session_id);
  exchange.response.setHeader('Set-Cookie', sessionCookie(token, caller.isSecure, span.maxMs));
  const session = (await findSession(database, hashCredential(token), { idleMs: span.idleMs }))!;
  exchange.caller = { personId: session.person.id };
  return describeMe(database, { ...caller, session }, publicUrl);
}

/** How somebody comes in, and leaves. */
export function signInHandlers(context: ConsoleContext): ConsoleHandlers<'readLink' | 'enter' | 'signIn' | 'signOut'> {
  const { database, limits, span } = context;
  return {
    readLink: async ({ body }, { caller }) => ({
      data: await readLink({ database }, body.token, caller.session?.person.id),
    }),
    enter: async ({ body }, { caller, exchange }) => {
      const { client, session } = caller;
      const redeeming = {
        client,
        maxMs: span.maxMs,
        requestId: exchange.requestId,
        currentPersonId: session?.person.id,
      };
      const { email, needs } = await readLink({ database }, body.token, redeeming.currentPersonId);
      const redeem = () => redeemLink({ database }, body, redeeming);
      // Of invitations there may be many, and each of them asks for the same password.
      const token = needs.includes('password') ? await limits.try(email!, redeem) : await redeem();
      return answerSignedIn(context, token, { caller, exchange });
    },
    signIn: async ({ body }, { caller, exchange }) => {
      const beginning = { client: caller.client, maxMs: span.maxMs };
      const token = await limits.try(body.email, () => signIn({ database }, body, beginning));
      return answerSignedIn(context, token, { caller, exchange });
    },
    signOut: async (_input, { caller: { session, isSecure }, exchange }) => {
      await endSession(database, session.person.id, session.session_id);
      exchange.response.setHeader('Set-Cookie', noCookie(isSecure));
      return { data: {} };
    },
  };
}
