import type { StepError } from '@relata/workflows/execution';

export type Ending =
  | { kind: 'ended'; status: 'succeeded' }
  | { kind: 'ended'; status: 'failed'; error: StepError }
  /** The run is due again at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has claimed the run, or the run was cancelled. */
  | { kind: 'lost' }
  /** The execution was interrupted, and the lease of the run must still be released. */
  | { kind: 'interrupted' };
