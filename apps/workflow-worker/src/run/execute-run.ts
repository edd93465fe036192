import { inSlots, isUnavailable } from '@relata/db';
import { backoff, pause, Shares, Slots, Turns } from '@relata/runtime';
import { tracing } from '@relata/telemetry';
import { DefinitionError } from '@relata/workflows';
import { LRUCache } from 'lru-cache';
import { type ClaimedRun, LeaseLostError, type StepError, writeJournal } from '@relata/workflows/execution';
import { toHeldRun } from '../worker/held-runs.ts';
import type { RunSlot } from '../worker/run-slot.ts';
import { workflowCache } from './workflow-cache.ts';
import type { Ending } from './ending.ts';
import type { ExecutionContext } from './execution.ts';
import { RunExecution } from './run-execution.ts';
import { openRunExecutor } from './run-executor.ts';
import { RunMemory } from './run-memory.ts';
import { runLogIds, traceExecution } from './run-trace.ts';

/** Maximum number of runs that are remembered as postponed, more than a worker ever postpones at once. */
const putOffMax = 10_000;

/** Default memory for all runs: a quarter of the heap that Node uses by default on 512 MB of memory. */
const memoryBytesDefault = 64 * 1024 * 1024;

/**
 * Number of slots for large answers. An organization holds at most one, because a large answer blocks the event loop
 * and the database for some milliseconds.
 */
const largeAnswersMax = 3;

/** Number of slots for calls that begin. An organization holds at most one. */
const startingCallsMax = 3;

/**
 * Minimum number of slots for work outside of shared transactions. An organization holds at most one of three, which
 * leaves slots for others.
 */
const ownTransactionsMin = 3;

/** Number of claims without progress after which a run fails, because it most likely kills its worker. */
const stallsMax = 10;

const unavailablePauseMs = 100;
const unavailablePauseMsMax = 2_000;

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

/** Executes a claimed run until it ends or waits, or another worker claims it. Aborting the signal interrupts it. */
export function executeRun(
  context: ExecutionContext,
  run: ClaimedRun,
  slot: RunSlot,
  signal: AbortSignal,
): Promise<Ending> {
  const execute = () => executeToEnd(context, run, slot, signal);
  return tracing ? traceExecution(tracing, run, execute) : execute();
}

/**
 * Executes a run as `executeRun` does, without a trace. If the database is unavailable for a while, uncommitted work is
 * repeated afterwards.
 */
async function executeToEnd(
  context: ExecutionContext,
  run: ClaimedRun,
  slot: RunSlot,
  signal: AbortSignal,
): Promise<Ending> {
  const { memoryShares, memoryBytes, putOff, workflowOf } = context;
  const database = inSlots(context.database.of(run.org_id), context.ownTransactions, run.org_id);
  using memory = new RunMemory(memoryShares, memoryBytes, run, putOff);
  let execution: RunExecution | undefined;
  const pauses = backoff(unavailablePauseMs, unavailablePauseMsMax);
  for (;;) {
    try {
      if (run.stalls >= stallsMax) return await fail(context, run, stalled(run));
      execution ??= new RunExecution(run, await workflowOf(run), { ...context, database, slot, memory }, signal);
      return await execution.execute();
    } catch (error) {
      if (!isUnavailable(error)) return fail(context, run, explain(context, run, error));
      if (signal.aborted) return { kind: 'interrupted' };
      await pause(pauses.next().value, signal);
    }
  }
}

async function fail({ database }: ExecutionContext, run: ClaimedRun, error: StepError): Promise<Ending> {
  try {
    await database.transaction((db) => writeJournal(db, toHeldRun(run), [], { status: 'failed', error }));
    return { kind: 'ended', status: 'failed', error };
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) return { kind: 'lost' };
    throw thrown;
  }
}

function stalled({ stalls }: ClaimedRun): StepError {
  return { code: 'worker_lost', message: `${stalls} workers in a row claimed the run and stopped responding.` };
}

function explain({ log }: ExecutionContext, run: ClaimedRun, error: unknown): StepError {
  if (error instanceof DefinitionError)
    return { code: 'invalid_definition', message: `Version ${run.version} can no longer be read: ${error.message}` };
  log.error({ err: error, ...runLogIds(run) }, 'run failed with an internal error');
  return { code: 'internal_error', message: 'Something went wrong on our side.' };
}
