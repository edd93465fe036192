import { useState } from 'react';
import type { Problem } from '../api/types.ts';
import { useRetryOptions, type RetryOptions } from '../runs/retry-options.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { RadioGroup } from '../ui/controls/radio-group.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { ErrorAlert } from '../ui/data/error-alert.tsx';
import { ConfirmForm } from '../ui/overlay/confirm.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { type Progress, useBulkRun, type RetryMode } from './bulk-run.ts';
import {
  causeOptions,
  failuresText,
  isHopeful,
  isPermanent,
  placeText,
  runsText,
  verdictText,
} from './problem-text.ts';
import css from './problems.module.css';

/** Maximum number of failures that can be retried without typing their number to confirm. */
const unaskedMax = 100;

export function RetryProblem({ problem, onClose }: { problem: Problem; onClose: () => void }) {
  const { progress, start } = useBulkRun(problem);
  const [mode, setMode] = useState<RetryMode>();
  // Uses the verdict on the newest run for all runs.
  const predicted = useRetryOptions(problem.refused ? undefined : { id: problem.examples[0] ?? '', status: 'failed' });
  const chosen = mode ?? modeFor(problem, predicted);
  const common = { problem, mode: chosen, onClose };
  const begin = () => {
    setMode(chosen);
    void start(chosen);
  };
  const isAsking = progress.phase === 'asking';
  const title = `${chosen === 'replay' ? 'Replay' : 'Retry'} ${failuresText(problem)} of ${problem.workflow}`;
  return (
    <Dialog onClose={onClose} title={title} isAlert={isAsking}>
      {isAsking ? (
        <Asking {...common} options={predicted} onMode={setMode} onStart={begin} />
      ) : (
        <Going {...common} progress={progress} onAgain={() => void start(chosen)} />
      )}
    </Dialog>
  );
}

/** Returns the mode that can succeed and repeats the fewest steps; a retry if every mode would fail. */
function modeFor({ code, refused }: Problem, options: RetryOptions | undefined): RetryMode {
  if (refused) return 'replay';
  if (!options) return isPermanent(code) ? 'replay' : 'retry';
  if (isHopeful(options.retry) && !isPermanent(code)) return 'retry';
  if (isHopeful(options.latest)) return 'latest';
  return isHopeful(options.replay) ? 'replay' : 'retry';
}

interface AskingProps {
  problem: Problem;
  options: RetryOptions | undefined;
  mode: RetryMode;
  onMode: (mode: RetryMode) => void;
  onStart: () => void;
  onClose: () => void;
}

function Asking({ problem, options, mode, onMode, onStart, onClose }: AskingProps) {
  return (
    <ConfirmForm
      word={problem.runs > unaskedMax ? String(problem.runs) : undefined}
      act={`${mode === 'replay' ? 'Replay' : 'Retry'} ${failuresText(problem)}`}
      variant="primary"
      onConfirm={async () => onStart()}
      onClose={onClose}
    >
      {problem.refused ? (
        <p>
          Starts {problem.workflow} for each delivery with the current mapping. Deliveries that still lack the input are
          left unchanged.
        </p>
      ) : (
        <>
          <RadioGroup
            label={`Runs that failed ${placeText(problem.step)}${problem.code === '-' ? '' : ` with ${problem.code}`}`}
            value={mode}
            choices={choicesOf(problem, options)}
            onChange={onMode}
          />
          <p>The newest runs are queued first. Runs that fail again return to this list.</p>
        </>
      )}
      <ModeCommand problem={problem} mode={mode} />
    </ConfirmForm>
  );
}

function choicesOf({ version, step }: Problem, options: RetryOptions | undefined) {
  const from = step === '-' ? 'after the last finished step' : `from ${step}`;
  const about = (sentence: string, option: RetryOptions['retry'] | null | undefined) => {
    const verdict = option && verdictText(option);
    return verdict ? `${sentence} Newest run: ${verdict}` : sentence;
  };
  const retry = {
    value: 'retry' as const,
    label: 'Retry',
    about: about(
      `Continues ${from} with each run’s own version and inputs. Finished steps are not repeated.`,
      options?.retry,
    ),
  };
  const latest = {
    value: 'latest' as const,
    label: `Retry with the newest version, v${version}`,
    about: about(`Continues ${from} with each run’s own inputs. Finished steps are not repeated.`, options?.latest),
  };
  const replay = {
    value: 'replay' as const,
    label: `Replay with the newest version, v${version}`,
    about: about('Starts a new run for each delivery with the current mapping. All steps run again.', options?.replay),
  };
  return options?.latest === null ? [retry, replay] : [retry, latest, replay];
}

function ModeCommand({ problem, mode }: { problem: Problem; mode: RetryMode }) {
  const { id: org } = useOrg();
  const cause = [...causeOptions(org, problem), ...option('limit', String(problem.runs))];
  const latest = mode === 'latest' ? ['--latest'] : [];
  const command =
    mode === 'replay'
      ? relata('problems', 'replay', ...cause)
      : relata('runs', 'retry', '--all-failed', ...cause, ...latest);
  return <CliCommand command={command} />;
}

interface GoingProps {
  problem: Problem;
  mode: RetryMode;
  progress: Progress;
  onAgain: () => void;
  onClose: () => void;
}

function Going({ problem, mode, progress, onAgain, onClose }: GoingProps) {
  const { phase, queued, failure, refused } = progress;
  const done = progress.succeeded + progress.failed + progress.ended;
  const isQueueing = phase === 'queueing';
  return (
    <div className={css.going}>
      <p role="status">{wordsOf(progress, mode, problem)}</p>
      <progress
        aria-label={isQueueing ? 'Queued runs' : 'Finished runs'}
        max={Math.max(1, isQueueing ? Math.max(problem.runs, queued) : queued)}
        value={phase === 'over' ? Math.max(1, queued) : isQueueing ? queued : done}
      />
      {refused.length > 0 && <Refused refused={refused} problem={problem} />}
      {failure && <ErrorAlert failure={failure} more={[`${runsText(queued)} queued so far.`]} onRetry={onAgain} />}
      <div className={css.actions}>
        <Button onClick={onClose}>{phase === 'over' ? 'Done' : isQueueing ? 'Stop' : 'Close'}</Button>
      </div>
    </div>
  );
}

const reasonsMax = 3;

/** The first reasons why runs or deliveries were skipped, each with its count. */
function Refused({ refused, problem }: Pick<Progress, 'refused'> & { problem: Problem }) {
  const byReason = Map.groupBy(refused, ({ id, message }) => message.replaceAll(id, ''));
  return (
    <ul aria-label={problem.refused ? 'Skipped deliveries' : 'Skipped runs'}>
      {[...byReason].slice(0, reasonsMax).map(([reason, skipped]) => (
        <li key={reason}>
          {failuresText({ ...problem, runs: skipped.length })} skipped: <bdi>{skipped[0]!.message}</bdi>
        </li>
      ))}
    </ul>
  );
}

function wordsOf(
  { phase, queued, succeeded, failed, ended, refused }: Progress,
  mode: RetryMode,
  problem: Problem,
): string {
  const begun = mode === 'replay' ? 'started' : 'queued';
  if (phase === 'queueing') return `${runsText(queued)} ${begun} so far.`;
  if (queued === 0 && refused.length > 0) return 'No run could be started or continued.';
  if (queued === 0 && problem.refused) return 'No deliveries left to replay: somebody else already replayed them.';
  if (queued === 0) return 'No runs left to retry: somebody else already retried them.';
  const open = queued - succeeded - failed - ended;
  const parts = [
    `${runsText(queued)} ${begun}: ${succeeded} succeeded`,
    failed > 0 ? `${failed} failed again` : 'none failed again',
    ...(ended > 0 ? [`${ended} cancelled or deleted`] : []),
    ...(phase === 'watching' ? [`${open} still running`] : []),
  ];
  return `${parts.join(', ')}.`;
}
