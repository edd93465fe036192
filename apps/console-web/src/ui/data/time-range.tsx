import { useMemo } from 'react';
import { type TimeRange, type TimeSearch, timeRanges } from '../../search-params.ts';
import { SelectFilter, TimeFilter } from './filters.tsx';
import { localMinute, startOfDay, useAreTimesUtc } from './time.tsx';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const names: Record<TimeRange, string> = {
  hour: 'Last hour',
  day: 'Last 24 hours',
  yesterday: 'Yesterday',
  week: 'Last 7 days',
  own: 'Custom range…',
};

const spansMs = { hour: hourMs, day: 24 * hourMs, week: 168 * hourMs };

/**
 * Returns the range of the search. A span such as the last hour begins that long before the moment of the choice, to
 * the minute.
 */
export function useTimes({ last, from, to }: TimeSearch): Omit<TimeSearch, 'last'> {
  const isUtc = useAreTimesUtc();
  return useMemo(() => {
    if (last === undefined || last === 'own') return { from, to };
    if (last === 'yesterday') return dayBefore(new Date());
    const since = Date.now() - spansMs[last];
    return { from: new Date(Math.floor(since / minuteMs) * minuteMs).toISOString(), to: undefined };
    // Calendar days are in the selected time zone.
  }, [last, from, to, isUtc]);
}

/** Returns the calendar day before the day of an instant. */
function dayBefore(instant: Date): Omit<TimeSearch, 'last'> {
  const today = localMinute(instant.toISOString()).slice(0, 10);
  const before = new Date(Date.parse(today) - 24 * hourMs).toISOString().slice(0, 10);
  return { from: startOfDay(before), to: startOfDay(today) };
}

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
