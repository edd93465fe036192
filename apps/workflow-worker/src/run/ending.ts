/** How an execution ended. */
export type Ending =
  | { kind: 'ended'; status: 'succeeded' | 'failed' }
  /** It is due again at this time. */
  | { kind: 'waiting'; wakeAt: string }
  /** Another worker has it now, or it was cancelled. */
  | { kind: 'lost' }
  /** It was interrupted, and its lease is still to be released. */
  | { kind: 'interrupted' };
