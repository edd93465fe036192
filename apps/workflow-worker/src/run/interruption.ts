import { isUnavailable, RolledBackError } from '@relata/db';
import { LeaseLostError, StaleJournalError } from '@relata/workflows/execution';
import { StepFailure } from './visit.ts';

/** The worker is stopping, or has lost the run. */
export class Interrupted extends Error {}

/** A step failed after it had written: its output cannot be kept, or the next step cannot be evaluated. */
export class LateFailure extends Error {
  override name = 'LateFailure';

  constructor(cause: unknown) {
    super('The step failed after it had written.', { cause });
  }
}

/**
 * Returns true if an error does not fail the step: it only ends the pass over the run, or the run has already ended.
 */
export function endsPass(error: unknown): boolean {
  return (
    error instanceof Interrupted ||
    error instanceof LeaseLostError ||
    error instanceof StaleJournalError ||
    error instanceof StepFailure ||
    error instanceof RolledBackError ||
    isUnavailable(error)
  );
}
