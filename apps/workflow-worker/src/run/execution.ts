import type { Database } from '@relata/db';
import type { Log } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows';
import type { Reach } from '../steps/network.steps.ts';
import type { RunJournal } from './run-journal.ts';
import type { Visit } from './visit.ts';

/** What executions work with. */
export interface ExecutionContext {
  database: Database;
  log: Log;
  reach: Reach;
  leaseMs: number;
  onStep(use: string, status: string, seconds: number): void;
  /** The first effect of a run that nobody had before is committed. */
  onFirstCommit(): void;
}

/** A run in hand. */
export interface Execution extends ExecutionContext {
  run: ClaimedRun;
  journal: RunJournal;
  /** Aborted when the run is lost, or the worker stops. */
  signal: AbortSignal;
}

/** How an execution ended, for whoever started it. */
export type Ending =
  | { kind: 'ended'; status: 'succeeded' | 'failed' }
  /** It goes on by itself at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has it now, or it was cancelled. */
  | { kind: 'lost' }
  /** It was interrupted, and is still ours to give back. */
  | { kind: 'interrupted' };

/** The walk's next visit, or its end. */
export type Visited = IteratorResult<Visit, unknown>;
