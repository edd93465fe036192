import { useState } from 'react';
import type { Problem } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Terminal } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Trouble } from '../ui/data/trouble.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { type Progress, useBulkRetry } from './bulk-retry.ts';
import { placeText, runsText } from './problem-text.ts';
import css from './problems.module.css';

/** More than these are typed before they are retried. */
const unaskedMax = 100;

/** Asks once, shows how far it is, and ends with what failed again. */
export function RetryProblem({ of, onClose }: { of: Problem; onClose: () => void }) {
  const { progress, start } = useBulkRetry(of);
  const isAsking = progress.phase === 'asking';
  return (
    <Dialog isOpen onClose={onClose} title={`Retry ${runsText(of.runs)} of ${of.workflow}`} isAlert={isAsking}>
      {isAsking ? (
        <Asking of={of} onStart={() => void start()} onClose={onClose} />
      ) : (
        <Going of={of} progress={progress} onAgain={() => void start()} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Asking({ of, onStart, onClose }: { of: Problem; onStart: () => void; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const isTyped = of.runs > unaskedMax;
  return (
    <Form isThrowaway send={async () => onStart()}>
      <p>
        Every run that failed {placeText(of.step)} with <code>{of.code}</code> goes on from there, with the version and
        the inputs that it has. Steps that are done are not done again; the one that failed is, with all of its
        attempts.
      </p>
      <p>They are queued 200 at a time, the newest first. What fails again comes back to this list.</p>
      {isTyped && (
        <TextField
          name="confirmation"
          label={`Type ${of.runs} to go on`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <RetryCommand of={of} />
      <div className={css.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={isTyped && typed.trim() !== String(of.runs)}>
          Retry {runsText(of.runs)}
        </Button>
      </div>
    </Form>
  );
}

function RetryCommand({ of }: { of: Problem }) {
  const { id: org } = useOrg();
  const cause = ['--workflow', of.workflow_id, '--step', of.step, '--code', of.code];
  return (
    <Terminal command={relata('runs', 'retry', '--all-failed', '--org', org, ...cause, '--limit', `${of.runs}`)} />
  );
}

interface GoingProps {
  of: Problem;
  progress: Progress;
  onAgain: () => void;
  onClose: () => void;
}

function Going({ of, progress, onAgain, onClose }: GoingProps) {
  const { phase, queued, failure } = progress;
  const done = progress.succeeded + progress.failed + progress.ended;
  const isQueueing = phase === 'queueing';
  return (
    <div className={css.going}>
      <p role="status">{wordsOf(progress)}</p>
      <progress
        aria-label={isQueueing ? 'Queued' : 'Ended'}
        max={Math.max(1, isQueueing ? Math.max(of.runs, queued) : queued)}
        value={phase === 'over' ? Math.max(1, queued) : isQueueing ? queued : done}
      />
      {failure && <Trouble failure={failure} more={[`${runsText(queued)} queued so far.`]} onRetry={onAgain} />}
      <div className={css.actions}>
        <Button onClick={onClose}>{phase === 'over' ? 'Done' : isQueueing ? 'Stop' : 'Close'}</Button>
      </div>
    </div>
  );
}

function wordsOf({ phase, queued, succeeded, failed, ended }: Progress): string {
  if (phase === 'queueing') return `${runsText(queued)} queued so far.`;
  if (queued === 0) return 'None was left to retry: somebody else has retried them.';
  const open = queued - succeeded - failed - ended;
  const parts = [
    `${runsText(queued)} queued: ${succeeded} succeeded`,
    failed > 0 ? `${failed} failed again` : 'none failed again',
    ...(ended > 0 ? [`${ended} cancelled or gone`] : []),
    ...(phase === 'watching' ? [`${open} not ended yet`] : []),
  ];
  return `${parts.join(', ')}.`;
}
