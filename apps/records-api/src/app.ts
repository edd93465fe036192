import { CallerCache } from '@relata/auth';
import { checkReachable, Executor, IdempotentWrites } from '@relata/db';
import { EventNotifier, EventFeed } from '@relata/events';
import {
  addHealth,
  byApiKey,
  byScope,
  ByteBudget,
  createApi,
  type ShutdownState,
  type FoundFiles,
  limitedBy,
  partyOfKey,
  requireScope,
  SharedLimit,
  UnreadResponses,
} from '@relata/http';
import { IndexCatalog, RecordLists, RecordLookups } from '@relata/records';
import type { Log, Metrics, RateLimit } from '@relata/runtime';
import type { Backends } from '@relata/service/backends';
import { recordsOperations } from '@relata/schemas';
import { addDocs } from './docs/docs.route.ts';
import { EventHandlers } from './events/event.handler.ts';
import type { EventStreamOptions } from './events/event-stream.handler.ts';
import { recordHandlers } from './records/record.handler.ts';
import { listIndexDetails } from './records/list-index-details.ts';
import { referenceDetails } from './records/reference-details.ts';

export interface RecordsApp extends Backends {
  log: Log;
  metrics: Metrics;
  stack: AsyncDisposableStack;
  draining: ShutdownState;
  /** Pages of the documentation. */
  docs: FoundFiles;
  rateLimit: RateLimit;
  /** Hours for which answers to writes with an idempotency key are stored. */
  idempotencyHours: number;
  /** Days for which deleted records can be restored. */
  trashDays: number;
  checksOutputs: boolean;
  /** Duration of event streams, and interval of their keep-alive comments. */
  eventStreams?: Pick<EventStreamOptions, 'lastsMs' | 'commentEveryMs'> | undefined;
  /** Time after which a batch begins no further item; 15 s by default. */
  batchMs?: number | undefined;
  /** Interval at which the indexes of lists are read; 30 s by default. */
  indexesEveryMs?: number | undefined;
  /** Number of proxies in front of the app. */
  proxies?: number;
}

/**
 * Maximum size of all bodies in memory, in bytes. A request needs about ten times the size of its body: for the bytes,
 * their text, the parsed values, the text for the database, and again as much for the response. A single key gets a
 * quarter, which is eight bodies of the maximum size.
 */
const bodyBytesMax = 32 * 1_048_576;
/**
 * Maximum size of all unread responses, in bytes. A page has at most a few MB, and a single key may leave 16 MB unread.
 */
const unreadBytesMax = 64 * 1_048_576;

export function createRecordsApp(opened: RecordsApp) {
  const { database, messaging, log, stack, draining, rateLimit } = opened;
  const warnOf = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const onError = warnOf('could not write when keys were last used');
  const callerCache = stack.use(new CallerCache({ db: database, messaging, onError }));
  const lookups = new RecordLookups(database);
  const executor = new Executor(database);
  const lists = new RecordLists(database, warnOf('could not store the landmarks of a list'));
  const onUnreadIndexes = warnOf('could not read the indexes of lists');
  const indexes = stack.use(new IndexCatalog(database, onUnreadIndexes, opened.indexesEveryMs)).start();
  const authenticate = byApiKey(callerCache);
  const eventNotifier = stack.use(new EventNotifier(messaging));
  const feed = new EventFeed(database, eventNotifier);
  const events = new EventHandlers({ database, feed, authenticate, ...opened.eventStreams });
  const limit = rateLimit && stack.use(new SharedLimit('api', rateLimit, messaging));
  return createApi({
    ...opened,
    operations: recordsOperations,
    handlers: recordHandlers({ ...opened, executor, lookups, lists, events }),
    authorize: byScope(authenticate),
    authorizeBody: requireScope,
    partyOf: partyOfKey,
    admission: () => limit && limitedBy(limit, (_request, { keyId }) => keyId),
    bodies: new ByteBudget(bodyBytesMax),
    unread: new UnreadResponses(unreadBytesMax),
    once: {
      executor,
      idempotentWrites: new IdempotentWrites(opened.idempotencyHours * 3_600_000),
      writerOf: (caller) => caller,
    },
    onWritten: (orgId) => eventNotifier.written(orgId),
    explainBody: (spec, caller, body) => referenceDetails(database.of(caller.orgId), caller.orgId, spec, body),
    explainQuery: (spec, query) => listIndexDetails(indexes, spec, query),
    extend: (app) => {
      addDocs(app, opened.docs);
      addHealth(app, { draining, check: () => checkReachable(database) });
    },
  });
}
