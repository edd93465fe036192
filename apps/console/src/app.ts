import { checkReachable, Executor } from '@relata/db';
import { busOn, EventNotifier, EventFeed } from '@relata/events';
import {
  addHealth,
  type BuiltFiles,
  ByteBudget,
  createApi,
  type ShutdownState,
  type Handlers,
  UnreadResponses,
} from '@relata/http';
import type { Log, Metrics, Party } from '@relata/runtime';
import type { Backends } from '@relata/service/backends';
import { consoleOperations, type ConsoleOperations, type ConsoleSpec } from '@relata/schemas/console';
import type { ConsoleContext, ConsoleHandlers } from './handlers/console-context.ts';
import { assignmentHandlers } from './handlers/assignment.handler.ts';
import { auditHandlers } from './handlers/audit.handler.ts';
import { changeHandlers } from './handlers/change.handler.ts';
import { deliveryHandlers } from './handlers/delivery.handler.ts';
import { eraseHandlers } from './handlers/erase.handler.ts';
import { keyHandlers } from './handlers/key.handler.ts';
import { meHandlers } from './handlers/me.handler.ts';
import { memberHandlers } from './handlers/member.handler.ts';
import { notifyHandlers } from './handlers/notify.handler.ts';
import { organizationHandlers } from './handlers/organization.handler.ts';
import { problemHandlers } from './handlers/problem.handler.ts';
import { recordHandlers } from './handlers/record.handler.ts';
import { refusalHandlers } from './handlers/refusal.handler.ts';
import { runHandlers } from './handlers/run.handler.ts';
import { searchHandlers } from './handlers/search.handler.ts';
import { signInHandlers } from './handlers/sign-in.handler.ts';
import { todayHandlers } from './handlers/today.handler.ts';
import { trashHandlers } from './handlers/trash.handler.ts';
import { triggerHandlers } from './handlers/trigger.handler.ts';
import { ChangeStreams, type ChangeStreamsOptions } from './live/change-streams.ts';
import { LiveOrganizations } from './live/live-organizations.ts';
import { workflowHandlers } from './handlers/workflow.handler.ts';
import { bySession } from './session/authorize.ts';
import type { ConsoleCaller } from './session/console-caller.ts';
import { KnownBrowsers } from './session/known-browsers.ts';
import { ConsoleLimits } from './session/limits.ts';
import type { OwnOrigin } from './session/own-origin.ts';
import { addMovedDocs, addShell } from './shell/shell.route.ts';
import { addPageHeaders } from './shell/page-headers.route.ts';

export interface ConsoleApp
  extends Backends, OwnOrigin, Pick<ConsoleContext, 'span' | 'trashDays' | 'publicUrl' | 'signingKeys' | 'notifyKeys'> {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: ShutdownState;
  checksOutputs: boolean;
  /** The built files of the pages; undefined if they were not built. */
  bundle: BuiltFiles | undefined;
  /** Duration of change streams, and interval between keep-alive comments in them, in ms. */
  changeStreams?: Pick<ChangeStreamsOptions, 'lastsMs' | 'commentEveryMs'> | undefined;
  /** Maximum time, in ms, that a sign-in waits if too many passwords have been guessed; 5 s by default. */
  guessWaitMs?: number | undefined;
}

/**
 * Maximum total size of request bodies in memory, in bytes. It is small, since there are few people and their requests
 * are small.
 */
const bodyBytesMax = 16 * 1_048_576;
/**
 * Maximum total size of unread responses in memory, in bytes. It is large, since a run or a delivery can have a few MB.
 */
const unreadBytesMax = 64 * 1_048_576;

export function createConsoleApp(opened: ConsoleApp) {
  const { database, messaging, stack, draining } = opened;
  const { signInLimits, admissionTo } = new ConsoleLimits(messaging, stack, opened.guessWaitMs);
  const browsers = new KnownBrowsers(database);
  const eventNotifier = stack.use(new EventNotifier(messaging));
  const live = new LiveOrganizations(database, eventNotifier);
  const authorize = bySession({ ...opened, browsers, idleMs: opened.span.idleMs });
  const streams = new ChangeStreams({ live, authorize, ...opened.changeStreams });
  const feed = new EventFeed(database);
  const context = {
    ...opened,
    executor: new Executor(database),
    bus: busOn(messaging),
    feed,
    signInLimits,
    browsers,
    authorize,
  };
  return createApi<ConsoleSpec, ConsoleCaller, ConsoleOperations>({
    ...opened,
    operations: consoleOperations,
    handlers: handlersOf(context, changeHandlers(live, streams)),
    authorize,
    partyOf,
    admission: admissionTo,
    bodies: new ByteBudget(bodyBytesMax),
    unread: new UnreadResponses(unreadBytesMax),
    onWritten: (orgId) => eventNotifier.written(orgId),
    cutsOutputs: true,
    keepsWholeBodies: true,
    prepare: (app) => addPageHeaders(app, opened),
    extend: (app) => {
      addHealth(app, { draining, check: () => checkReachable(database) });
      addMovedDocs(app, opened);
      addShell(app, opened.bundle);
    },
  });
}

/**
 * Returns the handlers of all operations. The cast is safe, because `bySession` provides each handler with the kind of
 * caller that its operation declares.
 */
function handlersOf(
  context: ConsoleContext,
  changes: Pick<ConsoleHandlers, 'readChanges'>,
): Handlers<ConsoleOperations, ConsoleCaller> {
  const handlers: ConsoleHandlers = {
    ...signInHandlers(context),
    ...meHandlers(context),
    ...organizationHandlers(context),
    ...notifyHandlers(context),
    ...keyHandlers(context),
    ...memberHandlers(context),
    ...auditHandlers(context),
    ...recordHandlers(context),
    ...trashHandlers(context),
    ...eraseHandlers(context),
    ...triggerHandlers(context),
    ...assignmentHandlers(context),
    ...deliveryHandlers(context),
    ...searchHandlers(context),
    ...runHandlers(context),
    ...changes,
    ...workflowHandlers(context),
    ...problemHandlers(context),
    ...refusalHandlers(context),
    ...todayHandlers(context),
  };
  return handlers as Handlers<ConsoleOperations, ConsoleCaller>;
}

/**
 * Returns the party to which a request is charged: organization and person, or the IP address if nobody is signed in.
 */
function partyOf(_request: unknown, caller: ConsoleCaller): Party {
  const { session, client } = caller;
  return session ? ['orgId' in caller ? caller.orgId : 'me', session.person.id] : ['visitors', client.ip];
}
