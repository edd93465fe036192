import { Link } from '@tanstack/react-router';
import type { Run } from '../api/types.ts';
import { isHopeful, verdictText } from '../problems/problem-text.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { countedText } from '../ui/data/count.ts';
import { explained } from './error-text.ts';
import css from './runs.module.css';
import type { RetryOptions } from './retry-options.ts';

type Step = Run['steps'][number];

/** Returns the step at which a run failed; undefined if it failed outside its steps. */
export function findFailedStep({ status, error, steps }: Run): Step | undefined {
  return status === 'failed' ? steps.find(({ path }) => path === error?.step) : undefined;
}

interface FailedStepProps {
  run: Run;
  step: Step | undefined;
  options: RetryOptions | undefined;
}

/** Summary of a failed run: the step, the reason, the effect of a retry, and where to fix it. */
export function FailedStep({ run, step, options }: FailedStepProps) {
  const isHopeless = options && !isHopeful(options.retry);
  return (
    <div className={css.failed} role="note" aria-label="Failure">
      <p>
        ✕ {step ? `Failed at ${step.path}, attempt ${step.attempts} of ${step.max_attempts}` : 'Run failed'}
        {run.error && `: ${explained(run.error)}`} {run.error && <code>{run.error.code}</code>}
      </p>
      {isHopeless ? <Hopeless run={run} options={options} /> : <RetryText run={run} step={step} />}
      {options && <OtherOptions options={options} />}
      {run.is_replayed && <p>The delivery was replayed later, so this run is no longer listed under Problems.</p>}
      <FixLinks run={run} step={step} />
    </div>
  );
}

function RetryText({ run, step }: Pick<FailedStepProps, 'run' | 'step'>) {
  const done = run.steps
    .filter(({ status, path }) => status === 'succeeded' && !path.includes('['))
    .map(({ path }) => path);
  const rounds = run.steps.filter(({ status, path }) => status === 'succeeded' && path.includes('[')).length;
  const kept = [...done, ...(rounds > 0 ? [`${countedText(rounds, 'step')} in loops`] : [])];
  return (
    <p>
      A retry continues {step ? `from ${step.path}` : 'after the last finished step'} with version {run.version} and the
      inputs of this run.{step && sends.has(step.use) && ' It sends the request again, with the same Idempotency-Key.'}
      {kept.length > 0
        ? ` ${listed(kept)} ${kept.length === 1 && rounds < 2 ? 'is' : 'are'} finished and will not be repeated.`
        : step
          ? ' No other step has finished.'
          : ''}
    </p>
  );
}

function Hopeless({ run, options: { retry } }: { run: Run; options: RetryOptions }) {
  const why =
    retry.refusal ?? `With version ${run.version} and the inputs of this run, ${retry.fails!.step} would fail again.`;
  return (
    <p>
      <strong>A retry cannot succeed.</strong> {why} Fix the mapping or the step, then replay the delivery.
    </p>
  );
}

function OtherOptions({ options: { latest, replay } }: { options: RetryOptions }) {
  const latestVerdict = latest && verdictText(latest);
  const replayVerdict = verdictText(replay);
  return (
    <>
      {latest && (
        <p>
          {latestVerdict
            ? `Retry with the newest version, v${latest.version}: ${latestVerdict}`
            : `A retry with v${latest.version}, the newest version, can succeed.`}
        </p>
      )}
      <p>
        {replayVerdict
          ? `Replay with v${replay.version} and the current mapping: ${replayVerdict}`
          : `A replay with v${replay.version} and the current mapping can succeed.`}
      </p>
    </>
  );
}

/** Returns the path of a step in the definition: `each.contact` for `each[2].contact` in a run. */
const placeOf = (path: string) => path.replaceAll(/\[\d+\]/g, '');

function FixLinks({ run, step }: Pick<FailedStepProps, 'run' | 'step'>) {
  const { id: org, can } = useOrg();
  const place = step && placeOf(step.path);
  const cause = { status: 'failed', workflow: run.workflow_id, step: place, code: run.error?.code } as const;
  const workflow = { params: { org, id: run.workflow_id } };
  const isOld = run.version < run.latest_version;
  return (
    <p className={css.fixes}>
      <TriggerLink id={run.trigger_id} search={{ tab: 'map', workflow: run.workflow_id, delivery: run.delivery_id }}>
        {can('manage') ? 'Fix mapping' : 'View mapping'}
      </TriggerLink>
      {can('manage') && (
        <Link to="/o/$org/workflows/$id/edit" {...workflow} search={{ step: place }}>
          {place ? `Edit step ${place}` : 'Edit workflow'}
        </Link>
      )}
      <Link to="/o/$org/workflows/$id" {...workflow} search={{ step: place, ...(isOld && { version: run.version }) }}>
        {place ? `View step in v${run.version}` : `View workflow v${run.version}`}
      </Link>
      {step && (
        <OrgLink to="/o/$org/runs" search={cause}>
          View similar failures
        </OrgLink>
      )}
      <OrgLink to="/o/$org/problems">View problems</OrgLink>
    </p>
  );
}

const sends = new Set(['http.request', 'channel.post']);

const namesMax = 5;
const list = new Intl.ListFormat('en-GB');

function listed(names: readonly string[]): string {
  const others = names.length - namesMax + 1;
  return list.format(others > 1 ? [...names.slice(0, namesMax - 1), `${others} more`] : names);
}
