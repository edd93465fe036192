import css from './bars.module.css';

interface BarValue {
  key: string;
  value: number;
  bad?: number;
  title: string;
}

export interface BarsProps {
  bars: readonly BarValue[];
  /** Text alternative for screen readers. */
  label: string;
  /** Label below the first bar; `to` is below the last. */
  from: string;
  to: string;
  bad?: string;
  /** Called on a click. A keyboard cannot reach the bars, so the same action must also exist elsewhere. */
  onChoose?: (at: number) => void;
}

const barWidth = 10;
const gap = 2;
const height = 40;
/** Minimum height of a bar that is not zero, so that it stays visible. */
const leastHeight = 2;

/** Bar chart of numbers over time. It is an SVG, because its attributes set sizes without inline styles. */
export function Bars({ bars, label, from, to, bad, onChoose }: BarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const tallOf = (value: number) => (value === 0 ? 0 : Math.max(leastHeight, (value / most) * height));
  const hasBad = bars.some((bar) => (bar.bad ?? 0) > 0);
  return (
    <figure className={css.bars} data-choice={onChoose ? true : undefined}>
      <svg viewBox={`0 0 ${bars.length * barWidth} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map((bar, at) => (
          <g key={bar.key} onClick={onChoose && (() => onChoose(at))}>
            <title>{bar.title}</title>
            <rect x={at * barWidth} y={0} width={barWidth} height={height} className={css.column} />
            <Bar at={at} tall={1} kind="ground" />
            <Bar at={at} tall={tallOf(bar.value)} kind="all" />
            {bar.bad !== undefined && <Bar at={at} tall={tallOf(bar.bad)} kind="bad" />}
          </g>
        ))}
      </svg>
      <figcaption aria-hidden>
        <span>{from}</span>
        {bad && hasBad && <span className={css.legend}>✕ {bad}</span>}
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

function Bar({ at, tall, kind }: { at: number; tall: number; kind: 'ground' | 'all' | 'bad' }) {
  const place = { x: at * barWidth + gap / 2, width: barWidth - gap };
  return <rect {...place} y={height - tall} height={tall} className={css[kind]} data-kind={kind} />;
}
