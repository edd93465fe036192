import { minuteMs, type Span } from '@relata/workflows/deliveries';

const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const widthsMs = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 30, 91, 365].map((days) => days * dayMs),
];

const spansMax = 32;

/**
 * Divides a time span into at most 32 parts; the first and the last may be shorter. Parts end at round local times of a
 * time zone, and parts of whole days end at midnight. All ends are whole minutes, because deliveries are counted per
 * minute.
 */
export function timeSpans(start: number, end: number, zone = 'UTC'): Span[] {
  if (end <= start) return [];
  const [from, to] = [Math.floor(start / minuteMs) * minuteMs, Math.ceil(end / minuteMs) * minuteMs];
  const clock = clockOf(zone);
  const [first, last] = [clock.localOf(from), clock.localOf(to)];
  // If clocks were set back within the span, the local time advances less than the elapsed time.
  const spanMs = Math.max(to - from, last - first);
  // A shorter first part can add one part, so `spansMax - 1` parts of full width must be enough.
  const width = widthsMs.find((each) => spanMs / each <= spansMax - 1) ?? Math.ceil(spanMs / (spansMax - 1));
  const aligned = Math.floor(first / width) * width;
  const ends = Array.from({ length: spansMax }, (_, at) => aligned + (at + 1) * width).map((local) =>
    // An hour that occurs twice in local time becomes two parts.
    width <= hourMs ? from + (local - first) : clock.instantOf(local),
  );
  // A day that the time zone skips begins and ends at the same instant, which must be listed only once.
  const between = [...new Set(ends)].filter((end) => end > from && end < to);
  return [...between, to].map((end, at) => ({ from: between[at - 1] ?? from, to: end }));
}

/**
 * Converts instants to local times of a zone and back. A local time is represented by the UTC instant with the same
 * clock time, in ms.
 */
function clockOf(zone: string) {
  const at = (ms: number, inZone: string) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(inZone);
  return {
    localOf: (instant: number) => instant + at(instant, zone).offsetNanoseconds / 1_000_000,
    instantOf: (local: number) => at(local, 'UTC').toPlainDateTime().toZonedDateTime(zone).epochMilliseconds,
  };
}
