import type { Database, Db, Executor } from '@relata/db';
import { type Log, Shares, Slots, Turns } from '@relata/runtime';
import type { Trace } from '@relata/telemetry';
import type { ClaimedRun } from '@relata/workflows/execution';
import { LRUCache } from 'lru-cache';
import type { Reach } from '../steps/network-steps.ts';
import type { RunSlot } from '../worker/run-slot.ts';
import type { WorkerMetrics } from '../worker/worker.metrics.ts';
import { openRecordExecutor } from './record-executor.ts';
import type { RunJournal } from './run-journal.ts';
import type { PostponedRuns, RunMemory } from './run-memory.ts';
import { type LoadedWorkflow, workflowCache } from './workflow-cache.ts';

/** State and services that all executions of a worker share. */
export interface ExecutionContext {
  database: Database;
  log: Log;
  reach: Reach;
  metrics: WorkerMetrics;
  leaseMs: number;
  /** Returns the compiled workflow of a run. Throws DefinitionError if this release cannot read its definition. */
  workflowOf(run: ClaimedRun): Promise<LoadedWorkflow>;
  /** Runs record steps, and writes journals. */
  executor: Executor;
  /** Slots for reads of a single run, and for transactions that a run does not share. */
  ownTransactions: Slots;
  /** Slots for parsing and storing large responses; each organization has its share. */
  largeResponses: Slots;
  /**
   * Turns of the event loop. While several organizations have runs, runs that become ready at the same time do not all
   * continue at once.
   */
  turns: Turns;
  /** Slots for starting calls; used only while several organizations have runs. */
  startingCalls: Slots;
  /** Maximum memory for the definitions, inputs and results of all runs together, in bytes. */
  memoryBytes: number;
  memoryShares: Shares;
  postponed: PostponedRuns;
  /** Called after a commit of a run. `isFirst` is true for the first commit of the run. */
  committed(run: ClaimedRun, isFirst: boolean): void;
}

/** State and services of one execution. */
export interface Execution extends ExecutionContext {
  /**
   * Database for the run's reads, with the organization's share of the connections. Each read takes a slot of
   * `ownTransactions`.
   */
  db: Db;
  slot: RunSlot;
  memory: RunMemory;
  run: ClaimedRun;
  workflow: LoadedWorkflow;
  journal: RunJournal;
  /** Parent span of the run's steps; undefined while telemetry is disabled. */
  trace: Trace | undefined;
  /** Aborted when the run is lost or the worker stops. */
  signal: AbortSignal;
}

/** Maximum number of postponed runs that are remembered. A worker never postpones so many at once. */
const postponedMax = 10_000;

/** Default memory for all runs, in bytes: a quarter of the heap that Node uses by default on 512 MB of memory. */
const memoryBytesDefault = 64 * 1024 * 1024;

/**
 * Number of slots for large responses. An organization holds at most one, because a large response blocks the event
 * loop and the database for some milliseconds.
 */
const largeResponsesMax = 3;

/** Number of slots for starting calls. An organization holds at most one. */
const startingCallsMax = 3;

/**
 * Minimum number of slots for work outside of shared transactions. An organization holds at most one of three slots, so
 * two are left for others.
 */
const ownTransactionsMin = 3;

export interface ExecutionOptions extends Pick<ExecutionContext, 'database' | 'log' | 'reach' | 'metrics' | 'leaseMs'> {
  /**
   * Concurrency of the worker. Four times this number of runs are executed at once, and share transactions for their
   * record steps. A quarter of this number, but at least three, may read or write in their own transactions. Sixteen
   * times this number of calls may wait for responses. One organization gets at most half of each.
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
    executor: openRecordExecutor(database, ownTransactions, metrics.sharedTransaction),
    largeResponses: new Slots(largeResponsesMax),
    startingCalls: new Slots(startingCallsMax),
    memoryBytes,
    memoryShares: new Shares(memoryBytes),
    postponed: new LRUCache({ max: postponedMax }),
  };
}
