import {
  type Database,
  type Db,
  LockedError,
  runTogether,
  type UnitDb,
  unitRunnerOf,
  type UnitRunner,
} from '@relata/db';
import type { Actor } from '@relata/events';
import { errorResponseFor } from '@relata/http';
import { LinkBudget, lockForMany, lockRows, locksFor, type RecordTable } from '@relata/records';
import { type Log, type WaitingCaller, DisconnectedError } from '@relata/runtime';
import type { BatchKind } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { type BatchItem, type ItemDone, itemReaders, type ReadItem } from './batch-item.ts';
import { readItems } from './read-items.ts';

/** The body of a batch, whose items have not been read yet. */
export interface BatchBody {
  operation: BatchKind;
  atomic: boolean;
  items: readonly unknown[];
}

interface Context {
  database: Database;
  trashDays: number;
  /** Time after which a batch begins no further item; 15 s by default. */
  batchMs?: number | undefined;
}

interface Around {
  log: Log;
  /** The sender. If it disconnects, the batch begins no further item, and the batch's own transaction is cancelled. */
  sender: WaitingCaller;
  writes: UnitRunner;
  /** True if the items share one transaction only because of a dry run. */
  isDryRun: boolean;
}

type Settled = { index: number } & ({ done: ItemDone } | { error: unknown });

/** Number of items that are executed at once. More would leave no room for other requests of the organization. */
const chunkItems = 100;

const batchMsDefault = 15_000;

/**
 * Time after which a batch in one transaction is rolled back, which is two seconds before its connection would be
 * closed.
 */
const transactionMsMax = 10_000;

/** Effect of a time limit on a batch or an item, and the time after which to retry. */
interface Effect {
  text: string;
  retryAfterSeconds: number;
}

const notStarted: Effect = { text: 'This item was not started. Send it again.', retryAfterSeconds: 1 };
const nothingDone: Effect = {
  text: 'Nothing was done. Send it again later, or send fewer items at once.',
  retryAfterSeconds: 10,
};

export class RecordBatches {
  readonly #database: Database;
  readonly #table: RecordTable<unknown>;
  readonly #readers: Record<BatchKind, ReadItem>;
  readonly #batchMs: number;

  constructor(table: RecordTable<unknown>, { database, trashDays, batchMs = batchMsDefault }: Context) {
    this.#database = database;
    this.#table = table;
    this.#readers = itemReaders(table, trashDays);
    this.#batchMs = batchMs;
  }

  /**
   * Executes every item like a single call. The items share one transaction if the batch is atomic or `writes` is a
   * transaction. Otherwise each item shares a transaction with other concurrent writes.
   */
  async carryOut(actor: Actor, { operation, atomic, items }: BatchBody, { log, sender, writes, isDryRun }: Around) {
    const { orgId } = actor;
    const readBy = (db: Db) => readItems({ db, orgId, table: this.#table, read: this.#readers[operation] }, items);
    // Within a transaction, reading the items needs no second connection.
    const read = await (writes.isOneTransaction
      ? writes.runAlone({ orgId, run: readBy })
      : readBy(this.#database.of(orgId)));
    const refused = read.filter((item) => 'error' in item);
    if (atomic && refused.length > 0) throw aborted(refused, items.length);
    const wellFormed = read.filter((item) => 'unit' in item);
    const { isOneTransaction: isStored } = writes;
    // The time limit begins with the first attempt of the transaction, and also covers its repetitions.
    let checkTime: (() => void) | undefined;
    const inOne = (db: UnitDb) => {
      checkTime ??= timeCheck(sender, { ms: Math.min(this.#batchMs, transactionMsMax), effect: nothingDone });
      return this.#doInOne(db, actor, { operation, atomic, isDryRun, isStored, items: wellFormed, checkTime });
    };
    const settled =
      atomic || writes.isOneTransaction
        ? await writes.runAlone({ orgId, run: inOne }, { isBulk: true, sender })
        : await doEach(writes, actor, wellFormed, timeCheck(sender, { ms: this.#batchMs, effect: notStarted }));
    const results = [...refused, ...settled].toSorted((a, b) => a.index - b.index).map((one) => resultOf(one, log));
    const failed = results.filter((result) => 'error' in result).length;
    return { data: results, succeeded: results.length - failed, failed };
  }

  /**
   * Executes all items in one transaction. No other request shares the transaction, so it may wait for locks. It first
   * locks the records to change, in a fixed order.
   */
  async #doInOne(db: UnitDb, actor: Actor, { operation, atomic, isDryRun, isStored, items, checkTime }: InOne) {
    // The time is checked before each statement, since items of one record run one after another.
    const limited: Db = {
      query: async (prepared, values) => {
        checkTime();
        return db.query(prepared, values);
      },
    };
    const { orgId } = actor;
    const keys = items.flatMap((item) => item.keys);
    await lockForMany(db, orgId, this.#table);
    if (operation === 'update') await lockRows(db, orgId, this.#table, keys);
    if (operation === 'delete') await db.call(locksFor('delete', this.#table), { orgId, ids: keys });
    const runs = runsOf(items);
    const rooms = roomsOf(isDryRun && !atomic ? runs.flatMap(chunksOf) : [items]);
    checkTime();
    // All keys are locked at once. Otherwise two batches might deadlock.
    if (runs.length > 1) await db.lock(keys);
    const unitOf = (item: BatchItem) => (unitDb: UnitDb) =>
      unitRunnerOf(unitDb).run(item.unit(actor, { room: rooms.get(item)!, isStored }));
    const settled: Settled[] = [];
    for (const part of runs.flatMap(partsOf)) {
      const results = await runTogether(limited, part.map(unitOf), { waits: true });
      for (const [i, item] of part.entries()) {
        // A locked item needed a lock that an earlier item held, for example on a record to which both link. It has
        // written nothing, so it is repeated alone.
        const [alone] = isLocked(results[i]!) ? await runTogether(limited, [unitOf(item)], { waits: true }) : [];
        settled.push(settledOf(item.index, alone ?? results[i]!));
      }
    }
    settled.sort((a, b) => a.index - b.index);
    const atFault = settled.find((one) => 'error' in one);
    if (atomic && atFault) throw aborted([atFault], items.length);
    return settled;
  }
}

interface InOne {
  operation: BatchKind;
  atomic: boolean;
  isDryRun: boolean;
  isStored: boolean;
  items: BatchItem[];
  checkTime: () => void;
}

/** Returns a function that throws if the sender has left, or if `ms` have passed since timeCheck was called. */
function timeCheck(sender: WaitingCaller, { ms, effect }: { ms: number; effect: Effect }): () => void {
  const begunAt = performance.now();
  return () => {
    if (sender.hasLeft) throw new DisconnectedError('The sender of the batch has disconnected.');
    if (performance.now() - begunAt <= ms) return;
    const message = `The batch took longer than ${ms / 1_000} s. ${effect.text}`;
    throw new AppError('service_unavailable', message, { retryAfterSeconds: effect.retryAfterSeconds });
  };
}

/**
 * Executes items that change the same record in order, and all others concurrently. Refuses items that would begin
 * after the time limit.
 */
async function doEach(
  writes: UnitRunner,
  actor: Actor,
  items: readonly BatchItem[],
  checkTime: () => void,
): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const chunk of runsOf(items).flatMap(chunksOf))
    settled.push(...(await doChunk(writes, actor, chunk, checkTime)));
  return settled;
}

async function doChunk(
  writes: UnitRunner,
  actor: Actor,
  chunk: readonly BatchItem[],
  checkTime: () => void,
): Promise<Settled[]> {
  const around = { room: new LinkBudget() };
  const run = async (item: BatchItem) => {
    checkTime();
    return writes.run(item.unit(actor, around));
  };
  const latest = new Map<string, Promise<unknown>>();
  const all = chunk.map((item) => {
    const before = item.keys.flatMap((key) => latest.get(key) ?? []);
    const done = before.length === 0 ? run(item) : Promise.allSettled(before).then(() => run(item));
    for (const key of item.keys) latest.set(key, done);
    return done;
  });
  const results = await Promise.allSettled(all);
  const unread = results.find((result) => result.status === 'rejected' && result.reason instanceof DisconnectedError);
  if (unread) throw (unread as PromiseRejectedResult).reason;
  return results.map((result, i) => settledOf(chunk[i]!.index, result));
}

/**
 * Groups consecutive items that find their records by the same fields. Within a group, items of the same record share a
 * key.
 */
function runsOf(items: readonly BatchItem[]): BatchItem[][] {
  const runs: BatchItem[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run?.[0]?.foundBy === item.foundBy) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

const chunksOf = (run: readonly BatchItem[]) =>
  Array.from({ length: Math.ceil(run.length / chunkItems) }, (_, i) => run.slice(i * chunkItems, (i + 1) * chunkItems));

/** Returns the LinkBudget of each item. The deletes of a group share one. */
const roomsOf = (groups: readonly (readonly BatchItem[])[]) =>
  new Map(
    groups.flatMap((group) => {
      const room = new LinkBudget();
      return group.map((item) => [item, room] as const);
    }),
  );

/**
 * Splits a group into parts in which no two items share a key. So an item can be repeated after its part, before any
 * later item of the same record.
 */
function partsOf(run: readonly BatchItem[]): BatchItem[][] {
  const parts: BatchItem[][] = [];
  /** For each key, the index of the first part that may contain another item with this key. */
  const next = new Map<string, number>();
  for (const item of run) {
    const at = Math.max(0, ...item.keys.map((key) => next.get(key) ?? 0));
    (parts[at] ??= []).push(item);
    for (const key of item.keys) next.set(key, at + 1);
  }
  return parts;
}

const isLocked = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' && result.reason instanceof LockedError;

function settledOf(index: number, result: PromiseSettledResult<ItemDone>): Settled {
  return result.status === 'fulfilled' ? { index, done: result.value } : { index, error: result.reason as unknown };
}

function resultOf(settled: Settled, log?: Log) {
  const { index } = settled;
  if ('done' in settled) return { index, ...settled.done };
  const { error, fault } = errorResponseFor(settled.error);
  if (fault !== undefined) log?.error({ err: fault, index }, error.message);
  const { code, message, details, data } = error;
  return { index, status: error.status, error: { error: code, message, ...(details && { details }), ...data } };
}

function aborted(atFault: readonly Settled[], count: number): AppError {
  const names = atFault.length === 1 ? `Item ${atFault[0]!.index} is` : `${atFault.length} of ${count} items are`;
  const results = atFault.map((one) => resultOf(one));
  return new AppError('batch_aborted', `${names} at fault. Nothing was done.`, { data: { results } });
}
