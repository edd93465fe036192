import { hashCredential } from '@relata/auth';
import type { Exchange } from '@relata/http';
import { endSession, findCandidate, findSession, type HashTurn, readLink, redeemLink, signIn } from '@relata/people';
import type { Visitor } from '../session/console-caller.ts';
import { noCookie, sessionCookie } from '../session/cookie.ts';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';
import { describeMe } from './me.ts';

/**
 * Sets the cookies of a new session and a known browser, ends the browser's previous session, and returns the signed-in
 * person.
 */
export async function answerSignedIn(
  context: ConsoleContext,
  token: string,
  { caller, exchange }: { caller: Visitor; exchange: Exchange },
) {
  const { database, browsers, span } = context;
  const { session: before, isSecure } = caller;
  if (before) await endSession(database, before.person.id, before.session_id);
  const session = (await findSession(database, hashCredential(token), { idleMs: span.idleMs }))!;
  const browser = await browsers.cookieFor(session.person.id, isSecure, caller.browser);
  exchange.response.setHeader('Set-Cookie', [sessionCookie(token, isSecure, span.maxMs), browser]);
  exchange.caller = { personId: session.person.id };
  return describeMe(context, { ...caller, session });
}

export function signInHandlers(context: ConsoleContext) {
  const { database, signInLimits, span } = context;
  return {
    readLink: async ({ body }, { caller }) => ({
      data: await readLink({ database }, body.token, caller.session?.person.id),
    }),
    enter: async ({ body }, { caller, exchange }) => {
      const { client, session } = caller;
      const { requestId } = exchange;
      const redeeming = { client, maxMs: span.maxMs, requestId, currentPersonId: session?.person.id };
      const { email, needs } = await readLink({ database }, body.token, session?.person.id);
      const redeem = (turn?: HashTurn) => redeemLink({ database }, body, { ...redeeming, turn });
      // Limits guesses, because every admin can invite any person, and the invitation then asks for that person's
      // password.
      const token = needs.includes('password')
        ? await signInLimits.ofVisitor(caller, await findCandidate(database, email!, client.ip), redeem)
        : await redeem();
      return answerSignedIn(context, token, { caller, exchange });
    },
    signIn: async ({ body }, { caller, exchange }) => {
      const beginning = { client: caller.client, maxMs: span.maxMs };
      const candidate = await findCandidate(database, body.email, caller.client.ip);
      const given = { person: candidate.person, password: body.password };
      const token = await signInLimits.ofVisitor(caller, candidate, (turn) =>
        signIn({ database }, { ...given, turn }, beginning),
      );
      return answerSignedIn(context, token, { caller, exchange });
    },
    signOut: async (_input, { caller: { session, isSecure }, exchange }) => {
      await endSession(database, session.person.id, session.session_id);
      exchange.response.setHeader('Set-Cookie', noCookie(isSecure));
      return { data: {} };
    },
  } satisfies Partial<ConsoleHandlers>;
}
