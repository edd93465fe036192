import { useCall } from '../api/queries.ts';
import type { OutputOf } from '../api/types.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { Panel } from '../shell/page.tsx';
import { Bars } from '../ui/data/bars.tsx';
import { countedText, countText, knownSum, knownText } from '../ui/data/count.ts';
import { browserZone, momentText, useAreTimesUtc } from '../ui/data/time.tsx';
import css from './deliveries.module.css';

interface HistogramProps {
  query: Pick<DeliveriesSearch, 'from' | 'to' | 'trigger'> & { from: string };
  /** Called with the time range of a bar, to filter by it. */
  onChoose: (times: { from: string; to: string }) => void;
}

/** Deliveries received over a time range, for all triggers or for one. There are no counts for other filters. */
export function Histogram({ query, onChoose }: HistogramProps) {
  const zone = useAreTimesUtc() ? 'UTC' : browserZone;
  const counts = useCall('getDeliveryCounts', { query: { ...query, zone } });
  const parts = counts.data?.data ?? [];
  return (
    <Panel>
      <div className={css.histogram}>
        {parts.length > 0 && (
          <Bars
            label={labelOf(parts)}
            bars={parts.map((part) => ({ key: part.from, value: part.deliveries ?? 0, title: titleOf(part) }))}
            from={momentText(parts[0]!.from)}
            to={query.to ? momentText(query.to) : 'now'}
            onChoose={(at) => onChoose({ from: parts[at]!.from, to: parts[at]!.to })}
          />
        )}
      </div>
    </Panel>
  );
}

type Part = OutputOf<'getDeliveryCounts'>['data'][number];

function labelOf(parts: readonly Part[]): string {
  const all = knownSum(parts.map(({ deliveries }) => deliveries));
  const sum = all === null ? 'Part of this time was not counted.' : `${countedText(all, 'delivery', 'deliveries')}.`;
  const most = parts.toSorted((one, other) => (other.deliveries ?? 0) - (one.deliveries ?? 0))[0]!;
  return all === 0 ? sum : `${sum} Peak: ${knownText(most.deliveries)} from ${momentText(most.from)}.`;
}

const titleOf = ({ from, to, deliveries }: Part) =>
  `${momentText(from)} to ${momentText(to)}: ${deliveries === null ? 'not counted' : countText(deliveries)}. Click to show only these.`;
