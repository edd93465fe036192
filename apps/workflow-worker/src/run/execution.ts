import type { Db } from '@relata/db';
import type { Log, Slots, Turns } from '@relata/runtime';
import type { Trace } from '@relata/telemetry';
import type { ClaimedRun } from '@relata/workflows/execution';
import type { Reach } from '../steps/network-steps.ts';
import type { Place } from '../worker/place.ts';
import type { CallPace } from './call-pace.ts';
import type { Cohorts } from './cohorts/cohorts.ts';
import type { JournalWrites } from './cohorts/journal-writes.ts';
import type { LockedKeys } from './cohorts/locked-keys.ts';
import type { RunMemory } from './run-memory.ts';
import type { RunJournal } from './run-journal.ts';
import type { Visit } from './visit.ts';

/** What executions work with. */
export interface ExecutionContext {
  /** For what a run reads outside of cohorts, of which its organization has its share at once. */
  database: Db;
  log: Log;
  reach: Reach;
  cohorts: Cohorts;
  journalWrites: JournalWrites;
  lockedKeys: LockedKeys;
  /** Large answers that are parsed and written, of which each organization has its share. */
  largeAnswers: Slots;
  /** Of the event loop: what runs begin at once is not begun in one go while several organizations have some. */
  turns: Turns;
  callPace: CallPace;
  place: Place;
  memory: RunMemory;
  leaseMs: number;
  onStep(use: string, status: string, seconds: number): void;
  /** Something of the run is committed; whether that is the first there is of it. */
  onCommit(isFirst: boolean): void;
}

/** A run that is being executed. */
export interface Execution extends ExecutionContext {
  run: ClaimedRun;
  /** Its name. */
  workflow: string;
  journal: RunJournal;
  /** What its steps are part of; undefined while telemetry is off. */
  trace: Trace | undefined;
  /** Aborted when the run is lost, or the worker stops. */
  signal: AbortSignal;
}

/** How an execution ended. */
export type Ending =
  | { kind: 'ended'; status: 'succeeded' | 'failed' }
  /** It is due again at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has it now, or it was cancelled. */
  | { kind: 'lost' }
  /** It was interrupted, and its lease is still to be released. */
  | { kind: 'interrupted' };

/** The walk's next visit, or its end. */
export type Visited = IteratorResult<Visit, unknown>;
