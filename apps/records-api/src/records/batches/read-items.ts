import type { Db } from '@relata/db';
import { loopTurns } from '@relata/http';
import type { RecordTable } from '@relata/records';
import { AppError, detailsMax, validationError } from '@relata/schemas/errors';
import { missingReferenceDetails } from '../reference-details.ts';
import type { BatchItem, FaultyItem, ReadItem } from './batch-item.ts';

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

export async function readItems({ db, orgId, table, read }: ReadOptions, items: readonly unknown[]) {
  const all: (BatchItem | FaultyItem | Refused)[] = [];
  const yieldAfterSlice = loopTurns.yieldAfterSlice([orgId]);
  for (const [index, item] of items.entries()) {
    await yieldAfterSlice();
    try {
      all.push(read(orgId, item, index));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      all.push({ index, error });
    }
  }
  const faulty = all.filter((item) => 'records' in item);
  const records = faulty.map((item) => item.records);
  const missing = records.length === 0 ? [] : await missingReferenceDetails(db, orgId, table, records);
  const missingOf = new Map(faulty.map((item, i) => [item, missing[i]!]));
  const answered: (BatchItem | Refused)[] = [];
  let room = detailsMax;
  for (const item of all) {
    await yieldAfterSlice();
    if ('unit' in item) answered.push(item);
    else {
      const error = shortened('error' in item ? item.error : errorOf(item, missingOf.get(item)!), room);
      room -= error.details?.length ?? 0;
      answered.push({ index: item.index, error });
    }
  }
  return answered;
}

/** Returns the error with all problems of an item, including those found in the database. */
function errorOf({ details, unnamed }: FaultyItem, missing: FaultyItem['details']): AppError {
  const named = new Set(details.map(({ field }) => field));
  return validationError([...details, ...missing.filter(({ field }) => !named.has(field))], unnamed);
}

/**
 * Shortens the list of problems of an error. All items together list as many problems as a single request may, but each
 * item lists at least its first. The message still counts all problems of the item.
 */
function shortened(error: AppError, room: number): AppError {
  const { details, code, message, data } = error;
  if (!details || details.length <= room) return error;
  return new AppError(code, message, { details: details.slice(0, Math.max(1, room)), ...(data && { data }) });
}
