import { useState } from 'react';
import { call } from '../api/client.ts';
import { ApiFailure, asFailure } from '../api/failure.ts';
import { refresh } from '../api/queries.ts';
import type { Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { ActTryButton } from '../ui/controls/act-try-button.tsx';
import { ActButton, Button } from '../ui/controls/button.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { isOver } from './run-state.tsx';

type Act = 'retry' | 'cancel';

/** What the button of the page does, as the tool names it. */
export function actOf({ status }: Run, canWork: boolean): Act | 'show' {
  if (!canWork) return 'show';
  if (status === 'failed') return 'retry';
  return isOver(status) ? 'show' : 'cancel';
}

/**
 * Retries or cancels a run. Why that was not done is kept here: the run may have another state by then, in which the
 * button that was pressed is no more.
 */
export function useRunActs({ id }: Run) {
  const { id: org } = useOrg();
  const [failure, setFailure] = useState<ApiFailure>();
  const send = (act: Act) =>
    act === 'retry'
      ? call('retryRuns', { params: { org }, body: { ids: [id] } })
      : call('cancelRun', { params: { org, id } });
  const attempt = async (act: Act) => {
    setFailure(undefined);
    try {
      await send(act);
    } catch (error) {
      setFailure(await inWords(asFailure(error), act, { org, id }));
    } finally {
      void refresh('getRun', 'getRunStep', 'listRuns');
    }
  };
  return { failure, attempt };
}

/** Of a conflict: that somebody else was faster, and what has become of the run. */
async function inWords(failure: ApiFailure, act: Act, params: { org: string; id: string }): Promise<ApiFailure> {
  if (failure.code !== 'conflict') return failure;
  const now = await call('getRun', { params }).catch(() => undefined);
  if (!now) return failure;
  const message = wordsOf(act, now.data.status);
  return new ApiFailure(failure.status, { error: failure.code, message, request_id: failure.requestId });
}

function wordsOf(act: Act, status: Run['status']): string {
  if (act === 'retry')
    return `Somebody else retried this run first, so it was not retried again. Its state is ${status} now.`;
  if (status === 'cancelled') return 'Somebody else cancelled this run first.';
  return `Not cancelled: the run had ended before. Its state is ${status} now.`;
}

interface RunActsProps {
  run: Run;
  /** The path of the step at which it failed. */
  failed: string | undefined;
  attempt: (act: Act) => Promise<void>;
}

/** What can be done with a run as it is now. */
export function RunActs({ run, failed, attempt }: RunActsProps) {
  const [isReplaying, setReplaying] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const act = actOf(run, true);
  return (
    <>
      {act === 'retry' && (
        <ActTryButton
          name={failed ? `Retry from ${failed}` : 'Retry'}
          look="primary"
          shortcut="r"
          run={() => attempt('retry')}
        />
      )}
      {act === 'cancel' && <Button onClick={() => setCancelling(true)}>Cancel run</Button>}
      {isCancelling && <CancelRun onClose={() => setCancelling(false)} onCancel={() => attempt('cancel')} />}
      <ReplayButton isWithKey={act !== 'retry'} onAct={() => setReplaying(true)} />
      {isReplaying && <ReplayDialog id={run.delivery_id} onClose={() => setReplaying(false)} />}
    </>
  );
}

function CancelRun({ onClose, onCancel }: { onClose: () => void; onCancel: () => Promise<void> }) {
  return (
    <Confirm onClose={onClose} title="Cancel this run?" act="Cancel run" stay="Keep it running" onConfirm={onCancel}>
      <p>Steps that are done stay done. A cancelled run cannot be continued; replay its delivery to start a new one.</p>
    </Confirm>
  );
}

/** Where nothing can be retried, it has the key. */
function ReplayButton({ isWithKey, onAct }: { isWithKey: boolean; onAct: () => void }) {
  const name = 'Replay delivery';
  if (isWithKey) return <ActButton name={name} shortcut="r" onAct={onAct} />;
  return <Button onClick={onAct}>{name}</Button>;
}
