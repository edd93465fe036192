import { changeName, changePassword, endSession, endSessions, listSessions } from '@relata/people';
import { noSuchRecord } from '@relata/schemas/errors';
import { type ConsoleContext, type ConsoleHandlers } from './console-context.ts';
import { describeMe } from './me.ts';
import { answerSignedIn } from './sign-in.handler.ts';

export function meHandlers(context: ConsoleContext) {
  const { database, signInLimits, span } = context;
  return {
    getMe: (_input, { caller }) => describeMe(context, caller),
    updateMe: async ({ body: { name } }, { caller, exchange: { requestId } }) => {
      const { session } = caller;
      await changeName({ database }, { id: session.person.id, name, requestId });
      return describeMe(context, { ...caller, session: { ...session, person: { ...session.person, name } } });
    },
    setPassword: async ({ body }, { caller, exchange }) => {
      const { person } = caller.session;
      const beginning = { client: caller.client, maxMs: span.maxMs };
      const token = await signInLimits.ofSession(caller, (turn) =>
        changePassword({ database }, person.id, { ...body, turn }, beginning),
      );
      return answerSignedIn(context, token, { caller, exchange });
    },
    listSessions: async (_input, { caller: { session } }) => {
      const open = await listSessions(database, session.person.id, span.idleMs);
      return { data: open.map((each) => ({ ...each, is_current: each.id === session.session_id })) };
    },
    endSession: async ({ params: { id } }, { caller: { session } }) => {
      if (!(await endSession(database, session.person.id, id))) throw noSuchRecord();
      return { data: {} };
    },
    endOtherSessions: async (_input, { caller: { session } }) => ({
      data: { ended: await endSessions(database, session.person.id, session.session_id) },
    }),
  } satisfies Partial<ConsoleHandlers>;
}
