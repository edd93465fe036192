import type { ListedRun } from '../api/types.ts';
import { State, type Tone } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';

const tones: Record<ListedRun['status'], Tone> = {
  queued: 'idle',
  running: 'busy',
  waiting: 'idle',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'idle',
};

interface RunStateProps {
  status: ListedRun['status'];
  wakeAt?: string | null;
  retry?: ListedRun['retry'];
  /** True to omit the name of the step that will be retried, where space is limited. */
  isBrief?: boolean;
}

export function RunState({ status, wakeAt, retry, isBrief }: RunStateProps) {
  if (retry)
    return (
      <>
        <State tone="busy">retrying</State> {!isBrief && `${retry.step}, attempt `}
        {retry.attempt} of {retry.max_attempts}
        {isBrief && ','} {wakeAt && <RelativeTime time={wakeAt} />}
      </>
    );
  return (
    <>
      <State tone={tones[status]}>{status}</State>
      {wakeAt && (
        <>
          , {!isBrief && 'continues '}
          <RelativeTime time={wakeAt} />
        </>
      )}
    </>
  );
}

export const isOver = (status: ListedRun['status']) => ['succeeded', 'failed', 'cancelled'].includes(status);
