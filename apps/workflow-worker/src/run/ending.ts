import type { StepError } from '@relata/workflows/execution';

export type Ending =
  | { kind: 'ended'; status: 'succeeded' }
  | { kind: 'ended'; status: 'failed'; error: StepError }
  /** The run is due again at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has the run now, or it was cancelled. */
  | { kind: 'lost' }
  /** The execution was interrupted, and its lease still has to be released. */
  | { kind: 'interrupted' };
