import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Today } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Bars, type BarsProps } from '../ui/data/bars.tsx';
import { boundedText, countText, nounText } from '../ui/data/count.ts';
import { hourText } from '../ui/data/time.tsx';
import { useAreTimesUtc } from '../ui/data/time-zone.ts';
import css from './today.module.css';

/** Up to which runs are counted. */
const runsMax = 1_000;

/** The day in four numbers, each of which leads to what it counts. */
export function Strip({ of }: { of: Today }) {
  const params = { org: useOrg().id };
  useAreTimesUtc();
  const { from } = of.hours[0]!;
  const [deliveries, runs] = [sumOf(of, (hour) => hour.deliveries), sumOf(of, (hour) => hour.runs.started)];
  return (
    <section className={css.strip} aria-label="The last 24 hours">
      <div className={css.charted}>
        <Count
          link={{ to: '/o/$org/deliveries', params, search: { from } }}
          count={aboutText(
            deliveries,
            of.hours.some((hour) => hour.is_estimate),
          )}
        >
          {nounText(deliveries, 'delivery', 'deliveries')} in 24 hours
        </Count>
        <Deliveries of={of.hours} />
      </div>
      <div className={css.charted}>
        <Count
          link={{ to: '/o/$org/runs', params, search: { from } }}
          count={aboutText(
            runs,
            of.hours.some((hour) => hour.runs.is_estimate),
          )}
        >
          {nounText(runs, 'run')} in 24 hours
        </Count>
        <Runs of={of.hours} />
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

const sumOf = ({ hours }: Today, numberOf: (hour: Today['hours'][number]) => number) =>
  hours.reduce((sum, hour) => sum + numberOf(hour), 0);

const aboutText = (count: number, isEstimate: boolean) => `${isEstimate ? 'about ' : ''}${countText(count)}`;

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

function Deliveries({ of }: { of: Today['hours'] }) {
  const most = of.toSorted((one, other) => other.deliveries - one.deliveries)[0]!;
  const label =
    most.deliveries === 0
      ? 'Nothing came in within 24 hours.'
      : `By the hour. The most, ${countText(most.deliveries)}, from ${hourText(most.from)}.`;
  const bars = of.map(({ from, deliveries, is_estimate }) => ({
    key: from,
    value: deliveries,
    title: `${hourText(from)}: ${aboutText(deliveries, is_estimate)}`,
  }));
  return <Hours label={label} of={bars} />;
}

/** Those that failed stand at the foot of the bar of all that began in the hour. */
function Runs({ of }: { of: Today['hours'] }) {
  const worst = of.toSorted((one, other) => other.runs.failed - one.runs.failed)[0]!;
  const label =
    worst.runs.failed === 0
      ? 'By the hour. None of them failed.'
      : `By the hour. The most failed, ${countText(worst.runs.failed)}, from ${hourText(worst.from)}.`;
  const bars = of.map(({ from, runs }) => ({
    key: from,
    value: runs.started,
    bad: runs.failed,
    title: `${hourText(from)}: ${aboutText(runs.started, runs.is_estimate)}, ${countText(runs.failed)} failed`,
  }));
  return <Hours label={label} of={bars} bad="failed" />;
}

function Hours(props: Pick<BarsProps, 'label' | 'of' | 'bad'>) {
  return (
    <div className={css.hours}>
      <Bars {...props} from={hourText(props.of[0]!.key)} to="now" />
    </div>
  );
}
