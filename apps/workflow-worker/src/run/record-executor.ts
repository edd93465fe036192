import { type Database, Executor, type Policy, transactionsInSlots } from '@relata/db';
import type { Slots } from '@relata/runtime';

const runs: Policy = {
  itemsMax: 32,
  // This is limited because each run of a transaction waits until the whole transaction ends.
  partyMax: 8,
  // One transaction for an organization with many runs, and one for the others.
  flushers: 2,
  areApart: true,
  // Unlimited, since there are never more waiting units than runs in progress.
  waitingMax: Infinity,
  weight: { batchMax: Infinity, waitingMax: Infinity },
  // Turns are shorter while several organizations have runs, since each turn delays the others.
  lastsMs: { ofOne: 25, ofSeveral: 10 },
  whileLocked: 'retry',
  // A run may try again until it succeeds, is lost, or the worker stops.
  triesMax: Infinity,
};

/**
 * Opens the executor of record steps. Concurrent runs share statements and commits. A transaction of a single run takes
 * one of the slots in `ownTransactions`.
 */
export function openRecordExecutor(
  database: Database,
  ownTransactions: Slots,
  onTransaction: (runs: number) => void,
): Executor {
  const ownShareOf = (orgId: string) => transactionsInSlots(database.of(orgId), ownTransactions, orgId);
  return new Executor(database, { policy: runs, ownShareOf, onTransaction });
}
