import { useMemo } from 'react';
import { type TimeRange, type TimeSearch, timeRanges } from '../../search-params.ts';
import { SelectFilter, TimeFilter } from './filters.tsx';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const names: Record<TimeRange, string> = {
  hour: 'last hour',
  day: 'last 24 hours',
  week: 'last 7 days',
  own: 'own …',
};

const spansMs = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs };

/** From when to when: of the last hours from the moment on in which they were chosen, to the minute. */
export function useTimes({ last, from, to }: TimeSearch): Omit<TimeSearch, 'last'> {
  return useMemo(() => {
    if (last === undefined || last === 'own') return { from, to };
    const since = Date.now() - spansMs[last];
    return { from: new Date(Math.floor(since / minuteMs) * minuteMs).toISOString(), to: undefined };
  }, [last, from, to]);
}

/** The last hours or days, or any times. */
export function TimeRangeFilter({ value, onChange }: { value: TimeSearch; onChange: (by: TimeSearch) => void }) {
  const { from, to } = useTimes(value);
  const chosen = value.last ?? ((from ?? to) ? 'own' : undefined);
  const choose = (last: TimeRange | undefined) =>
    onChange(last === 'own' ? { last, from, to } : { last, from: undefined, to: undefined });
  return (
    <>
      <SelectFilter<TimeRange>
        label="Time"
        value={chosen}
        options={timeRanges.map((range) => [range, names[range]])}
        onChange={choose}
      />
      {chosen === 'own' && (
        <>
          <TimeFilter label="From" value={from} onChange={(at) => onChange({ last: 'own', from: at, to })} />
          <TimeFilter label="To" value={to} onChange={(at) => onChange({ last: 'own', from, to: at })} />
        </>
      )}
    </>
  );
}
