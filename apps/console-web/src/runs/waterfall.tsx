import type { Run } from '../api/types.ts';
import { State, type Tone } from '../ui/data/state.tsx';
import { Ago, duration } from '../ui/data/time.tsx';
import css from './runs.module.css';

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
  shown: string | undefined;
  onShow: (path: string) => void;
}

/** Every step on one scale of time, with its attempts and waits. */
export function Waterfall({ run, shown, onShow }: WaterfallProps) {
  const scale = scaleOf(run);
  return (
    <ol className={css.waterfall}>
      <li>
        <span>queued</span>
        <span className={css.use}>before it began</span>
        <Bars scale={scale} spans={[[run.created_at, run.started_at ?? run.created_at, 'wait']]} />
      </li>
      {run.steps.map((step) => (
        <li key={step.path} data-shown={step.path === shown || undefined}>
          <button type="button" aria-pressed={step.path === shown} onClick={() => onShow(step.path)}>
            {step.path}
          </button>
          <span className={css.use}>{step.use}</span>
          <Bars scale={scale} spans={spansOf(step)} />
          <span className={css.outcome}>
            <State tone={tones[step.status]}>{outcomeOf(step)}</State>
            {step.wake_at && !step.finished_at && (
              <>
                {' '}
                goes on <Ago of={step.wake_at} />
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function outcomeOf({ status, attempts, started_at, finished_at }: Step): string {
  const took = started_at && finished_at ? ` in ${duration(Date.parse(finished_at) - Date.parse(started_at))}` : '';
  return `${status}${took}${attempts > 1 ? `, attempt ${attempts}` : ''}`;
}

type Span = readonly [from: string, to: string, kind: 'work' | 'wait' | 'failed'];

/** Failed attempts, the waits between them, and the last one. */
function spansOf({ failures, started_at, finished_at, status }: Step): Span[] {
  if (!started_at) return [];
  const tries = failures.map(({ started_at: from, finished_at: to }): Span => [from, to, 'failed']);
  const end = finished_at ?? new Date().toISOString();
  const lastFrom = failures.at(-1)?.finished_at ?? started_at;
  const last: Span = [lastFrom, end, status === 'failed' ? 'failed' : status === 'waiting' ? 'wait' : 'work'];
  return [[started_at, end, 'wait'], ...tries, ...(status === 'failed' && tries.length > 0 ? [] : [last])];
}

interface Scale {
  from: number;
  ms: number;
}

function scaleOf(run: Run): Scale {
  const from = Date.parse(run.created_at);
  const to = run.finished_at ? Date.parse(run.finished_at) : Date.now();
  return { from, ms: Math.max(1, to - from) };
}

const leastWidth = 0.6;

/** Drawn as SVG: its attributes are no inline style. */
function Bars({ scale, spans }: { scale: Scale; spans: readonly Span[] }) {
  const at = (time: string) => Math.min(100, Math.max(0, ((Date.parse(time) - scale.from) / scale.ms) * 100));
  return (
    <svg className={css.bars} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
      {spans.map(([from, to, kind], index) => {
        const width = Math.max(leastWidth, at(to) - at(from));
        return (
          <rect
            key={index}
            x={Math.min(100 - leastWidth, at(from))}
            width={width}
            y={kind === 'wait' ? 4 : 1}
            height={kind === 'wait' ? 2 : 8}
            className={css[kind]}
          />
        );
      })}
    </svg>
  );
}
