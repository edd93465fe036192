import { Shares, Slots, Turns } from '@relata/runtime';
import { LRUCache } from 'lru-cache';
import type { ExecutionContext } from './execution.ts';
import { openRunExecutor } from './run-executor.ts';
import { workflowCache } from './workflow-cache.ts';

/** Maximum number of runs that are remembered as postponed, more than a worker ever postpones at once. */
const putOffMax = 10_000;

/** Default memory for all runs, in bytes: a quarter of the heap that Node uses by default on 512 MB of memory. */
const memoryBytesDefault = 64 * 1024 * 1024;

/**
 * Number of slots for large answers. An organization holds at most one, because a large answer blocks the event loop
 * and the database for some milliseconds.
 */
const largeAnswersMax = 3;

/** Number of slots for starts of calls. An organization holds at most one. */
const startingCallsMax = 3;

/**
 * Minimum number of slots for work outside of shared transactions. An organization holds at most one of three, which
 * leaves slots for others.
 */
const ownTransactionsMin = 3;

export interface ExecutionOptions extends Pick<ExecutionContext, 'database' | 'log' | 'reach' | 'metrics' | 'leaseMs'> {
  /**
   * Concurrency of the worker. A quarter as many runs may read or write separately at the same time, and one
   * organization gets at most half of these slots.
   */
  concurrency: number;
  memoryBytes?: number;
}

export function createExecutionContext(
  options: ExecutionOptions,
  committed: ExecutionContext['committed'],
): ExecutionContext {
  const { concurrency, memoryBytes = memoryBytesDefault, ...given } = options;
  const { database, metrics } = given;
  const ownTransactions = new Slots(Math.max(ownTransactionsMin, Math.ceil(concurrency / 4)));
  return {
    ...given,
    committed,
    ownTransactions,
    turns: new Turns(),
    workflowOf: workflowCache(database),
    executor: openRunExecutor(database, ownTransactions, metrics.sharedTransaction),
    largeAnswers: new Slots(largeAnswersMax),
    startingCalls: new Slots(startingCallsMax),
    memoryBytes,
    memoryShares: new Shares(memoryBytes),
    putOff: new LRUCache({ max: putOffMax }),
  };
}
