import { toActor } from '@relata/auth';
import type { Database, Executor, Unit, UnitRunner } from '@relata/db';
import { type HandlerContext, type Handlers, SerializedJson } from '@relata/http';
import {
  createUnit,
  deleteUnit,
  deletionMeta,
  type Duplicates,
  type DuplicatesQuery,
  type Erased,
  erasureMeta,
  eraseUnit,
  type ListQuery,
  mergeUnit,
  missingRecord,
  orderStagesUnit,
  type Page,
  patchUnit,
  type RecordLists,
  type RecordLookups,
  type RecordTable,
  recordTables,
  removeUnit,
  showRecord,
  type Summary,
  type SummaryQuery,
} from '@relata/records';
import { CoalescedReads, type RateLimit, type WaitingCaller } from '@relata/runtime';
import type { OperationSpec, recordsOperations, Resource, resourceOperations } from '@relata/schemas';
import type { EventHandlers, HistoryQuery } from '../events/event.handler.ts';
import { describeSelf } from '../self.handler.ts';
import { type MergeBody, readMerge } from '../trash/read-merge.ts';
import { trashHandlers } from '../trash/trash.handler.ts';
import { type BatchBody, RecordBatches } from './batches/record-batches.ts';
import { ignoredIn, withMeta } from './ignored-fields.ts';
import { type UpsertBody, upsertOne } from './upsert-one.ts';

interface One {
  params: { id: string };
}

interface Got extends One {
  query: { expand?: readonly string[] };
}

interface Sent<Body = Record<string, unknown>> {
  body: Body;
  ifMatch?: readonly string[] | undefined;
  idempotencyKey?: string | undefined;
}

interface Asked {
  query: {
    cascade?: 'true' | 'false';
    erase?: 'true' | 'false';
    activities?: 'true' | 'false';
    dry_run?: 'true' | 'false';
    move_to?: string;
  };
  ifMatch?: readonly string[] | undefined;
}

type Operations = Resource['operations'];

/** Services of the handlers. They are independent of resources, so that a new resource does not change them. */
interface RecordsContext {
  database: Database;
  executor: Executor;
  lookups: RecordLookups;
  lists: RecordLists;
  events: EventHandlers;
  rateLimit: RateLimit;
  trashDays: number;
  batchMs?: number | undefined;
}

/**
 * Returns the handlers for all operations of the records API: generic handlers for every kind of record, and the
 * handlers listed here.
 */
export function recordHandlers(context: RecordsContext): Handlers<typeof recordsOperations> {
  const ofRecords = recordTables.flatMap((table) => {
    const handlers = handlersOf(table, context);
    const kinds = Object.keys(table.resource.operations) as (keyof Operations)[];
    return kinds.map((kind) => [table.resource.operations[kind]!.id, handlers[kind]]);
  });
  return {
    ...(Object.fromEntries(ofRecords) as Handlers<typeof resourceOperations>),
    ...trashHandlers(context),
    listEvents: context.events.list,
    getEvent: context.events.get,
    getSelf: (_input, { caller }) => Promise.resolve({ data: describeSelf(caller, context.rateLimit) }),
  };
}

/** Runs the unit of an operation in the kind of transaction that the operation declares. */
function carryOut<Result>(
  writes: UnitRunner,
  unit: Unit<Result>,
  { transaction }: Pick<OperationSpec, 'transaction'> = {},
  sender: WaitingCaller,
): Promise<Result> {
  return transaction ? writes.runAlone(unit, { isBulk: transaction === 'bulk', sender }) : writes.run(unit);
}

function handlersOf(table: RecordTable<unknown>, context: RecordsContext) {
  const { database, executor, lookups, lists, events } = context;
  const { operations } = table.resource;
  const batches = new RecordBatches(table, context);
  const erases = new WeakMap<object, Unit<Erased>>();
  // Many callers often request the same page at once, and pages are the most expensive reads.
  const reads = new CoalescedReads<SerializedJson<Page<unknown>>>();
  const summaries = new CoalescedReads<SerializedJson<Summary>>();
  const searches = new CoalescedReads<SerializedJson<Duplicates>>();
  return {
    list: ({ query }: { query: ListQuery }, { caller: { orgId }, exchange }: HandlerContext) => {
      const read = async (signal: AbortSignal) => new SerializedJson(await lists.list(orgId, table, query, signal));
      return reads.read(JSON.stringify([orgId, query]), read, exchange);
    },
    create: async ({ body }: Sent, { caller, exchange, writes = executor }: HandlerContext) => {
      const unit = createUnit(toActor(caller, exchange.requestId), table, body);
      const record = await carryOut(writes, unit, operations.create, exchange);
      return withMeta(record, ignoredIn(table, body, record));
    },
    get: async ({ params: { id }, query: { expand } }: Got, { caller: { orgId }, exchange }: HandlerContext) => {
      const data = (await lookups.find(orgId, table, id, exchange)) as Record<string, unknown> | undefined;
      // A record of another organization gets the same response as a missing record.
      if (data === undefined) throw await missingRecord(database.of(orgId), orgId, id);
      return { data: expand ? await showRecord(database.of(orgId), orgId, table, expand, data) : data };
    },
    update: async (
      { params: { id }, body: patch, ifMatch }: One & Sent,
      { caller, exchange, writes = executor }: HandlerContext,
    ) => {
      const unit = patchUnit(toActor(caller, exchange.requestId), table, { id, patch, ifMatch });
      const { record } = await carryOut(writes, unit, operations.update, exchange);
      return withMeta(record, ignoredIn(table, patch, record));
    },
    delete: async (
      { params: { id }, query: { cascade, erase, move_to: moveTo, ...query }, ifMatch }: One & Asked,
      { caller, exchange, writes = executor }: HandlerContext,
    ) => {
      const actor = toActor(caller, exchange.requestId);
      if (erase === 'true') {
        const given = { id, ifMatch, cascade: cascade === 'true', activities: query.activities === 'true' };
        // With an idempotency key, this handler is called again after each committed part. It must then continue with
        // the same unit.
        const unit = erases.getOrInsertComputed(exchange, () =>
          eraseUnit(actor, table, given, { isDryRun: query.dry_run === 'true' }),
        );
        const erased = await writes.runAlone(unit, { isBulk: true, sender: exchange });
        return { data: { id: id.toLowerCase() }, meta: erasureMeta(erased) };
      }
      if (!table.resource.goesToTrash) {
        const unit = removeUnit(actor, table, { id, ifMatch, moveTo });
        const { record, moved } = await carryOut(writes, unit, operations.delete, exchange);
        return { data: record, meta: { action: 'deleted', moved: { opportunities: moved } } };
      }
      const given = { id, ifMatch, cascade: cascade === 'true' };
      const deleted = await writes.run(deleteUnit(actor, table, given));
      return { data: deleted.record, meta: deletionMeta(deleted, context.trashDays) };
    },
    order: async (
      { params: { id }, body: { stage_ids: stageIds } }: One & Sent<{ stage_ids: string[] }>,
      { caller, exchange, writes = executor }: HandlerContext,
    ) => {
      const unit = orderStagesUnit(toActor(caller, exchange.requestId), id, stageIds);
      return { data: await carryOut(writes, unit, operations.order, exchange) };
    },
    merge: async ({ body }: Sent<MergeBody>, { caller, exchange, writes = executor }: HandlerContext) => {
      const unit = mergeUnit(toActor(caller, exchange.requestId), table, readMerge(table, body));
      const { record, ...meta } = await carryOut(writes, unit, operations.merge, exchange);
      return { data: record, meta: { action: 'merged', ...meta } };
    },
    upsert: async ({ body }: Sent<UpsertBody>, { caller, exchange, writes = executor }: HandlerContext) =>
      writes.run(upsertOne(toActor(caller, exchange.requestId), table, { body, isStored: writes.isOneTransaction })),
    batch: (
      { body, query, idempotencyKey }: Sent<BatchBody> & Asked,
      { caller, exchange, log, writes = executor }: HandlerContext,
    ) => {
      const isDryRun = query.dry_run === 'true' && idempotencyKey === undefined;
      return batches.carryOut(toActor(caller, exchange.requestId), body, { log, sender: exchange, writes, isDryRun });
    },
    summary: ({ query }: { query: SummaryQuery }, { caller: { orgId }, exchange }: HandlerContext) => {
      const read = async (signal: AbortSignal) => exactJson(await lists.summarize(orgId, table, query, signal));
      return summaries.read(JSON.stringify([orgId, query]), read, exchange);
    },
    duplicates: ({ query }: { query: DuplicatesQuery }, { caller: { orgId }, exchange }: HandlerContext) => {
      const read = async (signal: AbortSignal) =>
        new SerializedJson(await lists.findDuplicates(orgId, table, query, signal));
      return searches.read(JSON.stringify([orgId, query]), read, exchange);
    },
    history: ({ params, query }: One & { query: HistoryQuery }, { caller: { orgId } }: HandlerContext) =>
      events.history(table, orgId, params.id, query),
  } satisfies Record<keyof Operations, unknown>;
}

/**
 * Serializes figures with all their digits. The `value` of the result has the numbers that a client gets by parsing
 * this JSON.
 */
function exactJson<Value>(response: Value): SerializedJson<Value> {
  const json = JSON.stringify(response);
  return new SerializedJson(JSON.parse(json) as Value, json);
}
