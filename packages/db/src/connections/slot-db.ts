import type { Slots } from '@relata/runtime';
import type { Db } from '../statement.ts';

/** A database for one organization of which only as many statements run at once as there are slots. */
export function inSlots(db: Db, slots: Slots, orgId: string, signal?: AbortSignal): Db {
  const party = [orgId];
  return {
    async query(prepared, values) {
      await slots.acquire(party, signal);
      try {
        return await db.query(prepared, values);
      } finally {
        slots.release(party);
      }
    },
  };
}
