import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Today } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { boundedText, countText, nounText } from '../ui/data/count.ts';
import { hourText } from '../ui/data/time.tsx';
import css from './today.module.css';

/** Up to which runs are counted. */
const runsMax = 1_000;

/** The day in three numbers, each of which leads to what it counts. */
export function Strip({ of }: { of: Today }) {
  const params = { org: useOrg().id };
  return (
    <section className={css.strip} aria-label="The last 24 hours">
      <div className={css.came}>
        <Count
          link={{ to: '/o/$org/deliveries', params, search: { from: of.hours[0]!.from } }}
          count={`${of.hours.some((hour) => hour.is_estimate) ? 'about ' : ''}${countText(cameIn(of))}`}
        >
          {nounText(cameIn(of), 'delivery', 'deliveries')} in 24 hours
        </Count>
        <Hours of={of.hours} />
      </div>
      <Count
        link={{ to: '/o/$org/problems', params }}
        count={boundedText(of.failed_runs, runsMax)}
        isBad={of.failed_runs > 0}
      >
        failed {nounText(of.failed_runs, 'run')}
        {of.problems > 0 && `, ${countText(of.problems)} ${nounText(of.problems, 'problem')}`}
      </Count>
      <Count
        link={{ to: '/o/$org/runs', params, search: { status: 'waiting' } }}
        count={boundedText(of.waiting_runs, runsMax)}
      >
        waiting {nounText(of.waiting_runs, 'run')}
      </Count>
    </section>
  );
}

const cameIn = ({ hours }: Today) => hours.reduce((sum, { deliveries }) => sum + deliveries, 0);

interface CountProps {
  link: LinkProps;
  count: string;
  isBad?: boolean;
  children: ReactNode;
}

function Count({ link, count, isBad, children }: CountProps) {
  return (
    <Link {...link} className={css.count} data-bad={isBad || undefined}>
      <strong>
        {isBad && <span aria-hidden>✕ </span>}
        {count}
      </strong>{' '}
      <span>{children}</span>
    </Link>
  );
}

const barWidth = 10;
const gap = 2;
const height = 40;
/** An hour in which something came in is seen, however little it was. */
const leastHeight = 2;

/** Drawn as SVG: its attributes are no inline style. */
function Hours({ of }: { of: Today['hours'] }) {
  const most = of.toSorted((one, other) => other.deliveries - one.deliveries)[0]!;
  const label =
    most.deliveries === 0
      ? 'Nothing came in within 24 hours.'
      : `By the hour. The most, ${countText(most.deliveries)}, from ${hourText(most.from)}.`;
  return (
    <figure className={css.hours}>
      <svg viewBox={`0 0 ${of.length * barWidth} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {of.map((hour, at) => (
          <Bar key={hour.from} of={hour} at={at} most={Math.max(1, most.deliveries)} />
        ))}
      </svg>
      <figcaption aria-hidden>
        <span>{hourText(of[0]!.from)}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}

function Bar({ of, at, most }: { of: Today['hours'][number]; at: number; most: number }) {
  const tall = of.deliveries === 0 ? 0 : Math.max(leastHeight, (of.deliveries / most) * height);
  const title = `${hourText(of.from)}: ${of.is_estimate ? 'about ' : ''}${countText(of.deliveries)}`;
  return (
    <g>
      <title>{title}</title>
      <rect x={at * barWidth} y={0} width={barWidth} height={height} className={css.hour} />
      <rect x={at * barWidth + gap / 2} y={height - 1} width={barWidth - gap} height={1} className={css.ground} />
      <rect x={at * barWidth + gap / 2} y={height - tall} width={barWidth - gap} height={tall} className={css.bar} />
    </g>
  );
}
