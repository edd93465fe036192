import { setImmediate } from 'node:timers/promises';
import type { Db } from '@relata/db';
import { AppError, detailsMax } from '@relata/schemas';
import type { BatchItem, ReadItem } from './batch-item.ts';

/** So many items are read in one turn of the event loop: all other requests wait meanwhile. */
const itemsPerTurn = 20;

/** An item that is not well-formed. */
interface Refused {
  index: number;
  error: AppError;
}

/** Reads all items of a batch, in their order. */
export async function readItems(read: ReadItem, db: Db, orgId: string, items: readonly unknown[]) {
  const all: (BatchItem | Refused)[] = [];
  let room = detailsMax;
  for (const [index, item] of items.entries()) {
    if (index % itemsPerTurn === itemsPerTurn - 1) await setImmediate();
    try {
      all.push(await read(db, orgId, item, index));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      all.push({ index, error: shortened(error, room) });
      room -= error.details?.length ?? 0;
    }
  }
  return all;
}

/** All items together name as many problems as one request does, and each its first; its message counts all. */
function shortened(error: AppError, room: number): AppError {
  const { details, code, message, data } = error;
  if (!details || details.length <= room) return error;
  return new AppError(code, message, { details: details.slice(0, Math.max(1, room)), ...(data && { data }) });
}
