import { useState } from 'react';
import { ApiFailure, asFailure } from '../api/failure.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Run } from '../api/types.ts';
import { isHopeful, isPermanent } from '../problems/problem-text.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { isOver } from './run-state.tsx';
import type { RetryOptions } from './retry-options.ts';
import { Replay } from '../deliveries/replay.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { TimeOfDay } from '../ui/data/time.tsx';
import { explained } from './error-text.ts';
import css from './runs.module.css';

type Action = 'retry' | 'latest' | 'cancel';

/** Returns the main action of the page, by its name in the CLI. */
export function mainAction({ status }: Run, canWork: boolean): 'retry' | 'cancel' | 'show' {
  if (!canWork) return 'show';
  if (status === 'failed') return 'retry';
  return isOver(status) ? 'show' : 'cancel';
}

/**
 * Retries or cancels a run. Returns the failure separately from the buttons, because the pressed button may be missing
 * in the run's new status.
 */
export function useRunActs({ id, finished_at: finishedAt }: Run) {
  const { call } = useOrg();
  const [failure, setFailure] = useState<ApiFailure>();
  const [retried, setRetried] = useState<Retried>();
  const send = async (act: Action) => {
    if (act === 'cancel') return call('cancelRun', { params: { id } });
    await call('retryRuns', { body: { ids: [id], latest: act === 'latest' } });
    return setRetried({ finishedAt });
  };
  const attempt = async (act: Action) => {
    setFailure(undefined);
    setRetried(undefined);
    try {
      await send(act);
    } catch (error) {
      setFailure(await inWords(asFailure(error), act, () => call('getRun', { params: { id } })));
    } finally {
      void refresh('getRun', 'getRunStep', 'judgeRetry', 'listRuns');
    }
  };
  return { failure, attempt, retried };
}

/** A retry that was started on this page, with the time at which the run had failed. */
export interface Retried {
  finishedAt: string | null;
}

/** Rewords a conflict, which means that somebody else changed the run first. Names the run's current status. */
async function inWords(failure: ApiFailure, act: Action, readRun: () => Promise<{ data: Run }>): Promise<ApiFailure> {
  // For `latest`, the message of the server explains why the newest version cannot be used.
  if (failure.code !== 'conflict' || act === 'latest') return failure;
  const now = await readRun().catch(() => undefined);
  if (!now) return failure;
  const message = wordsOf(act, now.data.status);
  return new ApiFailure(failure.status, { error: failure.code, message, request_id: failure.requestId });
}

function wordsOf(act: Action, status: Run['status']): string {
  if (act === 'retry') return `Not retried: somebody else retried this run first. Its status is now ${status}.`;
  if (status === 'cancelled') return 'Somebody else already cancelled this run.';
  return `Not cancelled: the run had already ended. Its status is now ${status}.`;
}

interface RunActsProps {
  run: Run;
  /** Verdict on each option to continue; undefined until it is known, or if the run did not fail. */
  options: RetryOptions | undefined;
  failed: string | undefined;
  attempt: (act: Action) => Promise<void>;
}

export function RunActs({ run, options, failed, attempt }: RunActsProps) {
  const [isReplaying, setReplaying] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const act = mainAction(run, true);
  const isRetried = act === 'retry' && (options ? isHopeful(options.retry) : !isPermanent(run.error?.code ?? ''));
  return (
    <>
      {isRetried && (
        <ActionButton variant="primary" shortcut="r" run={() => attempt('retry')}>
          {failed ? `Retry from ${failed}` : 'Retry'}
        </ActionButton>
      )}
      {act === 'retry' && options?.latest && isHopeful(options.latest) && (
        <ActionButton variant={isRetried ? 'plain' : 'primary'} run={() => attempt('latest')}>
          Retry with v{options.latest.version}
        </ActionButton>
      )}
      {act === 'cancel' && <Button onClick={() => setCancelling(true)}>Cancel run</Button>}
      {isCancelling && <CancelRun onClose={() => setCancelling(false)} onCancel={() => attempt('cancel')} />}
      <Button shortcut={isRetried ? undefined : 'r'} onClick={() => setReplaying(true)}>
        Replay delivery
      </Button>
      {isReplaying && <ReplayDialog id={run.delivery_id} onClose={() => setReplaying(false)} />}
    </>
  );
}

function CancelRun({ onClose, onCancel }: { onClose: () => void; onCancel: () => Promise<void> }) {
  return (
    <Confirm onClose={onClose} title="Cancel this run?" act="Cancel run" stay="Keep running" onConfirm={onCancel}>
      <p>
        Finished steps are not undone. A cancelled run cannot be continued. To start a new one, replay its delivery.
      </p>
    </Confirm>
  );
}

function ReplayDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const delivery = useCall('getDelivery', { params: { id } });
  return (
    <Dialog onClose={onClose} title="Replay delivery">
      <p>This run does not change.</p>
      <Loaded query={delivery} lines={3}>
        {({ data }) => <Replay delivery={data} />}
      </Loaded>
    </Dialog>
  );
}

export function RetryOutcome({ run, retried }: { run: Run; retried: Retried | undefined }) {
  if (!retried) return null;
  return (
    <div role="status" aria-label="Retry" className={css.retried}>
      <Outcome run={run} before={retried.finishedAt} />
    </div>
  );
}

function Outcome({ run, before }: { run: Run; before: string | null }) {
  const { status, error, finished_at: finishedAt } = run;
  // Until the run is fetched again, the page may still show its previous status.
  if (!isOver(status) || finishedAt === before)
    return <>Retry started. Status: {isOver(status) ? 'queued' : status}…</>;
  if (status === 'succeeded') return <>✓ Retry succeeded.</>;
  if (status === 'cancelled') return <>Run cancelled.</>;
  return (
    <>
      ✕ Retry failed{error?.step && ` at ${error.step}`}, at {finishedAt && <TimeOfDay time={finishedAt} />}:{' '}
      {error && explained(error)}
    </>
  );
}
