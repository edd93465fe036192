import { type Database, Executor, type Policy, transactionsInSlots } from '@relata/db';
import type { Slots } from '@relata/runtime';

const runs: Policy = {
  unitsMax: 32,
  // All runs of a transaction wait for its whole length.
  ofOneMax: 8,
  // One of an organization with much to do, and one for the others meanwhile.
  atOnce: 2,
  isApart: true,
  // No more wait than runs are executed.
  waitingMax: Infinity,
  weightMax: Infinity,
  weightWaitingMax: Infinity,
  // Shorter while several organizations have runs, since each delays the others.
  lastsMs: { ofOne: 25, ofSeveral: 10 },
  whileLocked: 'retry',
  // A run can wait: until it is through, lost, or stopped.
  triesMax: Infinity,
};

/**
 * Opens the executor of record steps. Runs that do some at the same time share statements and commits. A run alone takes
 * one of the slots that runs have for what they do by themselves.
 */
export function openRunExecutor(database: Database, alone: Slots, onTransaction: (runs: number) => void): Executor {
  const ownShareOf = (orgId: string) => transactionsInSlots(database.of(orgId), alone, orgId);
  return new Executor(database, { policy: runs, ownShareOf, onTransaction });
}
