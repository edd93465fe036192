import type { ListedRun } from '../api/types.ts';
import { State, type Tone } from '../ui/data/state.tsx';
import { Ago } from '../ui/data/time.tsx';

const tones: Record<ListedRun['status'], Tone> = {
  queued: 'idle',
  running: 'busy',
  waiting: 'idle',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: 'idle',
};

export function RunState({ status, wakeAt }: { status: ListedRun['status']; wakeAt?: string | null }) {
  return (
    <>
      <State tone={tones[status]}>{status}</State>
      {wakeAt && (
        <>
          , goes on <Ago of={wakeAt} />
        </>
      )}
    </>
  );
}

export const isOver = (status: ListedRun['status']) => ['succeeded', 'failed', 'cancelled'].includes(status);
