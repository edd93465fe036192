import type { Run } from '../api/types.ts';
import { Clock } from '../ui/data/time.tsx';
import { explained } from './error-text.ts';
import type { Retried } from './run-acts.tsx';
import { isOver } from './run-state.tsx';
import css from './runs.module.css';

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
  // The page may still show the previous state.
  if (!isOver(status) || finishedAt === before)
    return <>Retry started. Status: {isOver(status) ? 'queued' : status}…</>;
  if (status === 'succeeded') return <>✓ Retry succeeded.</>;
  if (status === 'cancelled') return <>Run cancelled.</>;
  return (
    <>
      ✕ Retry failed{error?.step && ` at ${error.step}`}, at {finishedAt && <Clock of={finishedAt} />}:{' '}
      {error && explained(error)}
    </>
  );
}
