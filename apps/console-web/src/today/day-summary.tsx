import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Today } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Bars, type BarsProps } from '../ui/data/bars.tsx';
import { boundedText, countedText, countText, knownSum, knownText, nounText } from '../ui/data/count.ts';
import { hourText, useAreTimesUtc } from '../ui/data/time.tsx';
import css from './today.module.css';

/** Maximum count of failed and of waiting runs; more are shown as 1,000+. */
const runsMax = 1_000;

export function DaySummary({ today }: { today: Today }) {
  const params = { org: useOrg().id };
  useAreTimesUtc();
  const { from } = today.hours[0]!;
  const deliveries = knownSum(today.hours.map((hour) => hour.deliveries));
  const runs = knownSum(today.hours.map((hour) => hour.runs.started));
  return (
    <section className={css.summary} aria-label="Last 24 hours">
      <div className={css.charted}>
        <Count link={{ to: '/o/$org/deliveries', params, search: { from } }} count={knownText(deliveries)}>
          {nounText(deliveries ?? 0, 'delivery', 'deliveries')} in 24 hours
        </Count>
        <Deliveries hours={today.hours} />
      </div>
      <div className={css.charted}>
        <Count link={{ to: '/o/$org/runs', params, search: { from } }} count={knownText(runs)}>
          {nounText(runs ?? 0, 'run')} in 24 hours
        </Count>
        <Runs hours={today.hours} />
      </div>
      <Count
        link={{ to: '/o/$org/problems', params }}
        count={boundedText(today.failed_runs, runsMax)}
        isBad={today.failed_runs > 0 && today.problems > 0}
      >
        failed {nounText(today.failed_runs, 'run')}
        {today.problems > 0 && `, ${countedText(today.problems, 'problem')}`}
        {today.problems === 0 && today.failed_runs > 0 && ', no open problem'}
      </Count>
      <Count
        link={{ to: '/o/$org/runs', params, search: { status: 'waiting' } }}
        count={boundedText(today.waiting_runs, runsMax)}
      >
        waiting {nounText(today.waiting_runs, 'run')}
      </Count>
    </section>
  );
}

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

function Deliveries({ hours }: { hours: Today['hours'] }) {
  const most = highest(hours, (hour) => hour.deliveries);
  const label =
    most.deliveries === 0
      ? 'No deliveries in the last 24 hours.'
      : `Deliveries per hour. Peak: ${knownText(most.deliveries)} in the hour after ${hourText(most.from)}.`;
  const bars = hours.map(({ from, deliveries }) => ({
    key: from,
    value: deliveries ?? 0,
    title: `${hourText(from)}: ${deliveries === null ? 'not counted' : countText(deliveries)}`,
  }));
  return <Hours label={label} bars={bars} />;
}

function Runs({ hours }: { hours: Today['hours'] }) {
  const worst = highest(hours, (hour) => hour.runs.failed);
  const label =
    worst.runs.failed === 0
      ? 'Runs per hour. None failed.'
      : `Runs per hour. Most failures: ${knownText(worst.runs.failed)} in the hour after ${hourText(worst.from)}.`;
  const bars = hours.map(({ from, runs: { started, failed } }) => ({
    key: from,
    value: started ?? 0,
    bad: failed ?? 0,
    title: `${hourText(from)}: ${started === null || failed === null ? 'not counted' : `${countText(started)}, ${countText(failed)} failed`}`,
  }));
  return <Hours label={label} bars={bars} bad="failed" />;
}

const highest = (of: Today['hours'], numberOf: (hour: Today['hours'][number]) => number | null) =>
  of.toSorted((one, other) => (numberOf(other) ?? 0) - (numberOf(one) ?? 0))[0]!;

function Hours(props: Pick<BarsProps, 'label' | 'bars' | 'bad'>) {
  return (
    <div className={css.hours}>
      <Bars {...props} from={hourText(props.bars[0]!.key)} to="now" />
    </div>
  );
}
