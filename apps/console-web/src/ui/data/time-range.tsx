import { useEffect, useMemo } from 'react';
import { type TimeRange, type TimeSearch, timeRanges } from '../../search-params.ts';
import { SelectFilter, TimeFilter } from './filters.tsx';
import { EntryStates, useEntry } from './history-entry.ts';
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

type Range = Omit<TimeSearch, 'last'>;

const ranges = new EntryStates<Range>();

/**
 * Returns the time range of the search. “Last hour” begins one hour before it was chosen, rounded down to the minute.
 * Back restores the same range.
 */
export function useTimes({ last, from, to }: TimeSearch): Range {
  const isUtc = useAreTimesUtc();
  // Calendar days are in the selected time zone.
  const zone = last === 'yesterday' && isUtc ? 'UTC' : '';
  const entry = useEntry(`${last} ${zone}`);
  const range = useMemo(
    () => (last === undefined || last === 'own' ? { from, to } : (ranges.get(entry) ?? untilNow(last))),
    // `entry` is left out, because opening a row creates a new history entry but keeps the range.
    [last, from, to, zone],
  );
  useEffect(() => ranges.keep(entry, range), [entry, range]);
  return range;
}

function untilNow(last: Exclude<TimeRange, 'own'>): Range {
  if (last === 'yesterday') return dayBefore(new Date());
  const since = Date.now() - spansMs[last];
  return { from: new Date(Math.floor(since / minuteMs) * minuteMs).toISOString(), to: undefined };
}

/** Returns the calendar day before the day of an instant. */
function dayBefore(instant: Date): Range {
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
