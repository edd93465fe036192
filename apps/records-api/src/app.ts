import { Keyring } from '@relata/auth';
import { checkReachable, Executor, NamedWrites } from '@relata/db';
import { EventBell, EventFeed } from '@relata/events';
import {
  addHealth,
  byApiKey,
  byScope,
  ByteBudget,
  createApi,
  type Draining,
  limitedBy,
  partyOfKey,
  SharedLimit,
  UnreadAnswers,
} from '@relata/http';
import { RecordLists, RecordLookups } from '@relata/records';
import type { Log, Metrics, RateLimit } from '@relata/runtime';
import type { Backends } from '@relata/service/backends';
import { recordsOperations } from '@relata/schemas';
import { addDocs } from './docs/docs.route.ts';
import { EventHandlers } from './events/event.handler.ts';
import type { EventStreamOptions } from './events/event-stream.handler.ts';
import { recordHandlers } from './records/record.handler.ts';
import { referenceDetails } from './records/reference-details.ts';

export interface RecordsApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: Draining;
  rateLimit: RateLimit;
  /** For how long answers to writes that name themselves are kept. */
  idempotencyHours: number;
  checksAnswers: boolean;
  /** How long streams of events last, and how often they show that they are alive. */
  eventStreams?: Pick<EventStreamOptions, 'lastsMs' | 'commentEveryMs'> | undefined;
  /** For how long a batch begins items; 15 s unless given. */
  batchMs?: number | undefined;
  /** Proxies in front. */
  proxies?: number;
}

/**
 * A body is in memory about ten times while it is answered: bytes, text, values, text for the database, and all of it
 * again on the way back. A key alone gets a quarter, eight of the largest.
 */
const bodyBytesMax = 32 * 1_048_576;
/** Pages are at most a few of them: a key alone may leave 16 MB unread. */
const unreadBytesMax = 64 * 1_048_576;

/** The records API on what was opened for it. */
export function createRecordsApp(opened: RecordsApp) {
  const {
    database,
    messaging,
    log,
    metrics,
    stack,
    draining,
    rateLimit,
    idempotencyHours,
    checksAnswers,
    eventStreams,
    batchMs,
    proxies = 0,
  } = opened;
  const warnOf = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const onError = warnOf('could not write when keys were last used');
  const keyring = stack.use(new Keyring({ db: database, messaging, onError }));
  const lookups = new RecordLookups(database);
  const executor = new Executor(database);
  const lists = new RecordLists(database, warnOf('could not set landmarks'));
  const authenticate = byApiKey(keyring);
  const bell = stack.use(new EventBell(messaging));
  const events = new EventHandlers({ database, feed: new EventFeed(database, bell), authenticate, ...eventStreams });
  const limit = rateLimit && stack.use(new SharedLimit('api', rateLimit, messaging));
  return createApi({
    operations: recordsOperations,
    handlers: recordHandlers({
      database,
      executor,
      lookups,
      lists,
      events,
      rateLimit,
      batchMs,
    }),
    authorize: byScope(authenticate),
    partyOf: partyOfKey,
    admission: () => limit && limitedBy(limit, (_request, { keyId }) => keyId),
    bodies: new ByteBudget(bodyBytesMax),
    unread: new UnreadAnswers(unreadBytesMax),
    once: {
      executor,
      names: new NamedWrites(idempotencyHours * 3_600_000),
      writerOf: (caller) => caller,
    },
    log,
    metrics,
    draining,
    proxies,
    checksAnswers,
    onWritten: (orgId) => bell.written(orgId),
    explainBody: (spec, caller, body) => referenceDetails(database.of(caller.orgId), caller.orgId, spec, body),
    extend: (app) => {
      addDocs(app);
      addHealth(app, { draining, check: () => checkReachable(database) });
    },
  });
}
