import { Link } from '@tanstack/react-router';
import type { Run } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import css from './runs.module.css';

type Step = Run['steps'][number];

/** The step at which a run failed; one whose failure was passed over is none. */
export function failedStepOf({ status, error, steps }: Run): Step | undefined {
  if (status !== 'failed') return undefined;
  return steps.find(({ path }) => path === error?.step) ?? steps.find((step) => step.status === 'failed');
}

/** The first thing to know of a failed run: where, why, and what a retry will and will not do. */
export function FailedStep({ run, step }: { run: Run; step: Step | undefined }) {
  const done = run.steps
    .filter(({ status, path }) => status === 'succeeded' && !path.includes('['))
    .map(({ path }) => path);
  const rounds = run.steps.filter(({ status, path }) => status === 'succeeded' && path.includes('[')).length;
  const kept = [...done, ...(rounds > 0 ? [`${rounds} ${rounds === 1 ? 'step' : 'steps'} of loops`] : [])];
  return (
    <div className={css.failed} role="note" aria-label="Why it failed">
      <p>
        ✕ {step ? `Failed at ${step.path}, attempt ${step.attempts} of ${step.max_attempts}: ` : 'It failed: '}
        {run.error?.message} {run.error && <code>{run.error.code}</code>}
      </p>
      <p>
        A retry goes on {step ? `from ${step.path}` : 'behind what is done'}, with version {run.version} and the inputs
        of this run.{step && sends.has(step.use) && ' It sends again, with the same Idempotency-Key.'}
        {kept.length > 0
          ? ` ${listed(kept)} ${kept.length === 1 && rounds < 2 ? 'is' : 'are'} done, and will not be done again.`
          : ' No other step was done.'}
      </p>
      {step && <MoreLikeIt run={run} step={step} />}
    </div>
  );
}

/** Kinds of steps that call another system. */
const sends = new Set(['http.request', 'channel.post']);

function MoreLikeIt({ run, step }: { run: Run; step: Step }) {
  const { id: org } = useOrg();
  const place = step.path.replaceAll(/\[\d+\]/g, '');
  const search = { status: 'failed', workflow: run.workflow_id, step: place, code: run.error?.code } as const;
  return (
    <p>
      <Link to="/o/$org/runs" params={{ org }} search={search}>
        All that failed of the same
      </Link>
    </p>
  );
}

const namesMax = 5;

function listed(names: readonly string[]): string {
  if (names.length > namesMax)
    return `${names.slice(0, namesMax - 1).join(', ')} and ${names.length - namesMax + 1} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
