import { isUnavailable } from '@relata/db';
import { LeaseLostError, StaleJournalError } from '@relata/workflows/execution';
import { StepFailure } from './visit.ts';

/** The worker stops, or has lost the run. */
export class Interrupted extends Error {}

/** One of several steps in a transaction failed; which one shows when they are done one by one. */
export class GroupFailure extends Error {}

/** Another transaction is at work on the same record; nothing was done in ours. */
export class BusyError extends Error {
  override name = 'BusyError';
  /** Of the match that is locked; undefined where it is a row. */
  readonly key: string | undefined;

  constructor(key?: string) {
    super('Another transaction is at work on the same record.');
    this.key = key;
  }
}

/** Returns true if an error is not that of a step: it ends the pass over the run, or has ended the run already. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof Interrupted ||
    error instanceof LeaseLostError ||
    error instanceof StaleJournalError ||
    error instanceof StepFailure ||
    error instanceof BusyError ||
    isUnavailable(error)
  );
}
