import { setImmediate } from 'node:timers/promises';
import type { Db } from '@relata/db';
import type { RecordTable } from '@relata/records';
import { AppError, detailsMax, validationError } from '@relata/schemas/errors';
import { missingDetailsOf } from '../reference-details.ts';
import type { BatchItem, FaultyItem, ReadItem } from './batch-item.ts';

/** So many items are read in one turn of the event loop: all other requests wait meanwhile. */
const itemsPerTurn = 20;

/** An item that is refused. */
interface Refused {
  index: number;
  error: AppError;
}

interface ReadOptions {
  db: Db;
  orgId: string;
  table: RecordTable<unknown>;
  read: ReadItem;
}

/** Reads all items of a batch, in their order. */
export async function readItems({ db, orgId, table, read }: ReadOptions, items: readonly unknown[]) {
  const all: (BatchItem | FaultyItem | Refused)[] = [];
  for (const [index, item] of items.entries()) {
    if (index % itemsPerTurn === itemsPerTurn - 1) await setImmediate();
    try {
      all.push(read(orgId, item, index));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      all.push({ index, error });
    }
  }
  const faulty = all.filter((item) => 'record' in item);
  const records = faulty.map(({ record }) => record);
  const missing = records.length === 0 ? [] : await missingDetailsOf(db, orgId, table, records);
  const errors = new Map(faulty.map((item, i) => [item.index, errorOf(item, missing[i]!)]));
  return refuse(all, errors);
}

/** All problems of an item at once, those that only the database knows among them. */
function errorOf({ details, unnamed, prefix }: FaultyItem, missing: FaultyItem['details']): AppError {
  const named = new Set(details.map(({ field }) => field));
  const missingToo = missing.map((detail) => ({ ...detail, field: prefix + detail.field }));
  return validationError([...details, ...missingToo.filter(({ field }) => !named.has(field))], unnamed);
}

function refuse(all: readonly (BatchItem | FaultyItem | Refused)[], errors: ReadonlyMap<number, AppError>) {
  let room = detailsMax;
  return all.map((item): BatchItem | Refused => {
    if ('run' in item) return item;
    const error = 'error' in item ? item.error : errors.get(item.index)!;
    const shown = shortened(error, room);
    room -= error.details?.length ?? 0;
    return { index: item.index, error: shown };
  });
}

/** All items together name as many problems as one request does, and each its first; its message counts all. */
function shortened(error: AppError, room: number): AppError {
  const { details, code, message, data } = error;
  if (!details || details.length <= room) return error;
  return new AppError(code, message, { details: details.slice(0, Math.max(1, room)), ...(data && { data }) });
}
