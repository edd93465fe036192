import { isUnavailable, LockedError, RolledBackError } from '@relata/db';
import { LeaseLostError, StaleJournalError } from '@relata/workflows/execution';
import { StepFailure } from './visit.ts';

/** The worker stops, or has lost the run. */
export class Interrupted extends Error {}

/** A transaction failed, and was rolled back; whose steps were at fault shows when they are done one by one. */
export class GroupFailure extends Error {
  override name = 'GroupFailure';

  constructor(cause: unknown) {
    super('The transaction failed.', { cause });
  }
}

/** The step itself is at fault, and failed after it had written. */
export class LateFailure extends GroupFailure {
  override name = 'LateFailure';
}

/** Returns true if an error is not that of a step: it ends the pass over the run, or has ended the run already. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof Interrupted ||
    error instanceof LeaseLostError ||
    error instanceof StaleJournalError ||
    error instanceof StepFailure ||
    error instanceof GroupFailure ||
    error instanceof RolledBackError ||
    error instanceof LockedError ||
    isUnavailable(error)
  );
}
