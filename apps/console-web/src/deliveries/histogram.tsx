import { useCall } from '../api/queries.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Bars } from '../ui/data/bars.tsx';
import { countText, nounText } from '../ui/data/count.ts';
import { browserZone, momentText } from '../ui/data/time.tsx';
import { useAreTimesUtc } from '../ui/data/time-zone.ts';
import css from './deliveries.module.css';

const lookEveryMs = 15_000;

interface HistogramProps {
  of: Pick<DeliveriesSearch, 'from' | 'to' | 'trigger'> & { from: string };
  /** Shows only what is of one bar; the fields of the times do the same. */
  onChoose: (times: { from: string; to: string }) => void;
}

/** How much came in over a span of time. Of other filters there is no index to count by. */
export function Histogram({ of: query, onChoose }: HistogramProps) {
  const { id: org } = useOrg();
  const zone = useAreTimesUtc() ? 'UTC' : browserZone;
  const counts = useCall('getDeliveryCounts', { params: { org }, query: { ...query, zone } }, { everyMs: lookEveryMs });
  const parts = counts.data?.data ?? [];
  return (
    <Panel>
      <div className={css.histogram}>
        {parts.length > 0 && (
          <Bars
            label={labelOf(parts)}
            of={parts.map((part) => ({ key: part.from, value: part.deliveries, title: titleOf(part) }))}
            from={momentText(parts[0]!.from)}
            to={query.to ? momentText(query.to) : 'now'}
            onChoose={(at) => onChoose({ from: parts[at]!.from, to: parts[at]!.to })}
          />
        )}
      </div>
    </Panel>
  );
}

interface Part {
  from: string;
  to: string;
  deliveries: number;
  is_estimate: boolean;
}

function labelOf(parts: readonly Part[]): string {
  const all = parts.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const most = parts.toSorted((one, other) => other.deliveries - one.deliveries)[0]!;
  const about = parts.some(({ is_estimate }) => is_estimate) ? 'About ' : '';
  const sum = `${about}${countText(all)} ${nounText(all, 'delivery', 'deliveries')}.`;
  return all === 0 ? sum : `${sum} The most, ${countText(most.deliveries)}, from ${momentText(most.from)}.`;
}

const titleOf = ({ from, to, deliveries, is_estimate }: Part) =>
  `${momentText(from)} to ${momentText(to)}: ${is_estimate ? 'about ' : ''}${countText(deliveries)}. Click for these alone.`;
