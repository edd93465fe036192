import type { Database, Db, Executor } from '@relata/db';
import type { Log, Shares, Slots, Turns } from '@relata/runtime';
import type { Trace } from '@relata/telemetry';
import type { ClaimedRun, CompiledWorkflow } from '@relata/workflows/execution';
import type { Reach } from '../steps/network-steps.ts';
import type { RunSlot } from '../worker/run-slot.ts';
import type { WorkerMetrics } from '../worker/worker.metrics.ts';
import type { PutOffRuns, RunMemory } from './run-memory.ts';
import type { RunJournal } from './run-journal.ts';
import type { Visit } from './visit.ts';

/** State and services that all executions of a worker share. */
export interface ExecutionContext {
  database: Database;
  log: Log;
  reach: Reach;
  metrics: WorkerMetrics;
  leaseMs: number;
  /** Returns the compiled workflow of a run. Throws DefinitionError if this release cannot read its definition. */
  workflowOf(run: ClaimedRun): Promise<CompiledWorkflow>;
  /** Runs record steps, and writes journals. */
  executor: Executor;
  /** Slots for reads of a single run, and for transactions that it does not share. */
  ownTransactions: Slots;
  /** Slots for large answers that are parsed and written; each organization has its share. */
  largeAnswers: Slots;
  /**
   * Turns on the event loop: while several organizations have runs, runs that become ready together do not all continue
   * at once.
   */
  turns: Turns;
  /** Slots for starts of calls, while several organizations have runs. */
  startingCalls: Slots;
  /** Maximum memory for the inputs and results of all runs together, in bytes. */
  memoryBytes: number;
  memoryShares: Shares;
  putOff: PutOffRuns;
  /** Called after a commit of a run. `isFirst` is true for the first commit of the run. */
  committed(run: ClaimedRun, isFirst: boolean): void;
}

/** State and services of one execution. */
export interface OwnContext extends Omit<ExecutionContext, 'database'> {
  /** The organization's share of the connections, for reads of the run. */
  database: Db;
  slot: RunSlot;
  memory: RunMemory;
}

export interface Execution extends OwnContext {
  run: ClaimedRun;
  workflow: string;
  journal: RunJournal;
  /** Parent of the traces of its steps; undefined while telemetry is off. */
  trace: Trace | undefined;
  /** Aborted when the run is lost or the worker stops. */
  signal: AbortSignal;
}

/** The next visit of the walk, or its end. */
export type Visited = IteratorResult<Visit, unknown>;
