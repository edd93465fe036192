import type { Run } from '../api/types.ts';
import css from './runs.module.css';

/** The first thing to know of a failed run: where, why, and what a retry will and will not do. */
export function FailedStep({ run, step }: { run: Run; step: Run['steps'][number] | undefined }) {
  const done = run.steps.filter(({ status }) => status === 'succeeded').map(({ path }) => path);
  return (
    <div className={css.failed} role="note">
      <p>
        ✕ {step ? `${step.path} failed, attempt ${step.attempts}: ` : 'It failed: '}
        {run.error?.message} {run.error && <code>{run.error.code}</code>}
      </p>
      {step && (
        <p>
          A retry goes on from {step.path}, with the version and the inputs of this run.
          {done.length > 0 && ` ${listed(done)} ${done.length === 1 ? 'is' : 'are'} done, and not done again.`}
        </p>
      )}
    </div>
  );
}

const namesMax = 5;

function listed(names: readonly string[]): string {
  if (names.length > namesMax) return `${names.length} steps`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
