import type { Slots } from '@relata/runtime';
import type { OrganizationDb } from './organization-database.ts';
import type { Db } from '../statement.ts';

/** Returns a database for one organization, in which each statement holds one of the slots. */
export function inSlots(db: Db, slots: Slots, orgId: string, signal?: AbortSignal): Db {
  return { query: (prepared, values) => inSlot(slots, orgId, () => db.query(prepared, values), signal) };
}

/** Like `inSlots`, for transactions. A transaction holds its slot until it ends. */
export function transactionsInSlots(db: OrganizationDb, slots: Slots, orgId: string): OrganizationDb {
  return {
    ...inSlots(db, slots, orgId),
    transaction: (work) => inSlot(slots, orgId, () => db.transaction(work)),
  };
}

async function inSlot<Result>(
  slots: Slots,
  orgId: string,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  using _slot = await slots.hold([orgId], { signal });
  return await work();
}
