import { type IdlePeriod, findIdlePeriods, withoutIdlePeriods } from '@relata/schemas/idle-periods';
import { OrgLink } from '../shell/org.ts';
import { memo, useCallback, useMemo, useRef } from 'react';
import type { Run } from '../api/types.ts';
import { State, type Tone } from '../ui/data/state.tsx';
import { RelativeTime, duration, useNow } from '../ui/data/time.tsx';
import { useVisibleRows } from '../ui/data/visible-rows.ts';
import { isOver } from './run-state.tsx';
import { type Span, stepSpans } from './step-spans.ts';
import css from './runs.module.css';
import { axisTicks } from './time-axis.ts';

type Step = Run['steps'][number];

const tones: Record<Step['status'], Tone> = {
  pending: 'idle',
  running: 'busy',
  waiting: 'idle',
  succeeded: 'ok',
  failed: 'bad',
  skipped: 'idle',
};

interface WaterfallProps {
  run: Run;
  /** Path of the step whose values are shown beside the list. */
  shown: string | undefined;
}

/**
 * All steps on one time scale, with their attempts and waits. The page contains only the visible steps, because there
 * may be thousands.
 */
export function Waterfall({ run, shown }: WaterfallProps) {
  const { steps } = run;
  const body = useRef<HTMLOListElement>(null);
  const keyOf = useCallback((at: number) => steps[at]!.path, [steps]);
  const visible = useVisibleRows({ label: 'Steps', count: steps.length, keyOf, body, onSee: undefined });
  // Only bars of runs that have not ended grow with time.
  const now = useNow(!isOver(run.status));
  const idlePeriods = useMemo(() => findIdlePeriods(run), [run]);
  const from = Date.parse(run.created_at);
  const to = run.finished_at ? Date.parse(run.finished_at) : now;
  const scale = useMemo(() => ({ idlePeriods, from, to }), [idlePeriods, from, to]);
  return (
    <>
      <Axis scale={scale} />
      <Queued run={run} scale={scale} />
      <ol ref={body} className={css.waterfall} aria-label="Steps">
        {visible.rows.flatMap(({ index, gap }) => {
          const step = steps[index]!;
          const end = step.started_at && !step.finished_at ? now : 0;
          return [
            gap > 0 && <li key={`above ${index}`} className={css.gap} style={{ height: gap }} aria-hidden />,
            <li
              key={step.path}
              ref={visible.measure}
              data-index={index}
              data-shown={step.path === shown || undefined}
              aria-setsize={steps.length}
              aria-posinset={index + 1}
            >
              <StepLine id={run.id} step={step} isShown={step.path === shown} scale={scale} now={end} />
            </li>,
          ];
        })}
        {visible.gapBelow > 0 && <li className={css.gap} style={{ height: visible.gapBelow }} aria-hidden />}
      </ol>
    </>
  );
}

/**
 * Time range of the axis, in ms since 1970. It leaves out `idlePeriods`: the times between a failure and its retry.
 */
interface Scale {
  idlePeriods: readonly IdlePeriod[];
  from: number;
  to: number;
}

const lengthOf = ({ idlePeriods, from, to }: Scale) =>
  withoutIdlePeriods(idlePeriods, to) - withoutIdlePeriods(idlePeriods, from);

/** Draws the time axis. It is hidden from screen readers, since each step states its duration. */
function Axis({ scale }: { scale: Scale }) {
  const wholeMs = Math.max(1, lengthOf(scale));
  return (
    <div className={css.axis} aria-hidden>
      <div>
        {axisTicks(wholeMs).map(({ ms, text }) => (
          <span key={ms} data-tick={ms} style={{ left: `${(ms / wholeMs) * 100}%` }}>
            {/* Omits the label at the end of the axis, where there is no room. */}
            {ms / wholeMs <= lastText && text}
          </span>
        ))}
      </div>
    </div>
  );
}

const lastText = 0.85;

function Queued({ run, scale }: { run: Run; scale: Scale }) {
  const began = Date.parse(run.started_at ?? run.created_at);
  return (
    <div className={css.queued}>
      <span>queue</span>
      <span className={css.use}>waiting to start</span>
      <Bars scale={scale} spans={[{ from: Date.parse(run.created_at), to: began, kind: 'wait' }]} />
      <span className={css.outcome}>{run.started_at && duration(began - Date.parse(run.created_at))}</span>
    </div>
  );
}

interface StepLineProps {
  id: string;
  step: Step;
  isShown: boolean;
  scale: Scale;
  /** Current time in ms for a started step that has not ended; otherwise 0, so that its line is not rendered again. */
  now: number;
}

const StepLine = memo(({ id, step, isShown, scale, now }: StepLineProps) => {
  return (
    <>
      <OrgLink
        to="/o/$org/runs/$id"
        params={{ id }}
        search={{ step: step.path }}
        activeProps={{}}
        aria-current={isShown || undefined}
        preload={false}
        resetScroll={false}
        replace
      >
        {step.path}
      </OrgLink>
      <span className={css.use}>{step.use}</span>
      <Bars scale={scale} spans={stepSpans(step, now)} />
      <span className={css.outcome}>
        <Outcome step={step} idlePeriods={scale.idlePeriods} />
      </span>
    </>
  );
});

function Outcome({ step, idlePeriods }: { step: Step; idlePeriods: readonly IdlePeriod[] }) {
  const { status, attempts, max_attempts, error, wake_at, started_at, finished_at } = step;
  if (status === 'waiting' && error)
    return (
      <>
        <State tone="busy">retrying</State>, attempt {attempts + 1} of {max_attempts}{' '}
        {wake_at && <RelativeTime time={wake_at} />}
      </>
    );
  const scale = started_at && finished_at && { idlePeriods, from: Date.parse(started_at), to: Date.parse(finished_at) };
  const took = scale && status !== 'skipped' ? ` in ${duration(lengthOf(scale))}` : '';
  return (
    <>
      <State tone={tones[status]}>{`${status}${took}${attempts > 1 ? `, attempt ${attempts}` : ''}`}</State>
      {status === 'waiting' && wake_at && (
        <>
          , continues <RelativeTime time={wake_at} />
        </>
      )}
    </>
  );
}

const leastWidth = 0.6;

function Bars({ scale, spans }: { scale: Scale; spans: readonly Span[] }) {
  const [wholeMs, from] = [lengthOf(scale), withoutIdlePeriods(scale.idlePeriods, scale.from)];
  const at = (ms: number) => Math.min(100, Math.max(0, (ms / Math.max(1, wholeMs)) * 100));
  const placeOf = (ms: number) => at(withoutIdlePeriods(scale.idlePeriods, ms) - from);
  return (
    <svg className={css.bars} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
      {axisTicks(wholeMs).map(({ ms }) => (
        <rect key={ms} x={at(ms)} y={0} width={0.2} height={10} className={css.tick} />
      ))}
      {spans.map((span, index) => (
        <rect
          key={index}
          x={Math.min(100 - leastWidth, placeOf(span.from))}
          width={Math.max(leastWidth, placeOf(span.to) - placeOf(span.from))}
          y={span.kind === 'wait' ? 4 : 1}
          height={span.kind === 'wait' ? 2 : 8}
          className={css[span.kind]}
          data-kind={span.kind}
        />
      ))}
    </svg>
  );
}
