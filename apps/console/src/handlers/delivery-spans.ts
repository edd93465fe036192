import type { CountedSlice, Slice } from '@relata/workflows/deliveries';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const widthsMs = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 30, 91, 365].map((days) => days * dayMs),
];

const spansMax = 32;
/** Each span is counted in parts, so that one burst is not taken for all of it where there is too much to count. */
const partsOfSpan = 2;

/**
 * Spans of time that are easily read, of which the first and the last may be cut: at most 32. Their ends are round by the
 * clocks of a time zone: those of days are its midnights.
 */
export function spansOf(from: number, to: number, zone = 'UTC'): Slice[] {
  if (to <= from) return [];
  const clock = clockOf(zone);
  const [first, last] = [clock.localOf(from), clock.localOf(to)];
  // Where clocks were set back meanwhile, they show less than has passed.
  const spanMs = Math.max(to - from, last - first);
  // The first one may be cut, and then there is one more.
  const width = widthsMs.find((each) => spanMs / each <= spansMax - 1) ?? Math.ceil(spanMs / (spansMax - 1));
  const aligned = Math.floor(first / width) * width;
  const ends = Array.from({ length: spansMax }, (_, at) => aligned + (at + 1) * width).map((local) =>
    // An hour that clocks show twice is two spans.
    width <= hourMs ? from + (local - first) : clock.instantOf(local),
  );
  // Of a day that clocks left out, both ends are the same.
  const between = [...new Set(ends)].filter((end) => end > from && end < to);
  return [...between, to].map((end, at) => ({ from: between[at - 1] ?? from, to: end }));
}

/** What the clocks of a zone show, as milliseconds in UTC that show the same, and the other way around. */
function clockOf(zone: string) {
  const isUtc = zone === 'UTC';
  return {
    localOf: (instant: number) =>
      isUtc ? instant : instant + offsetMs(Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)),
    instantOf: (local: number) =>
      isUtc
        ? local
        : Temporal.Instant.fromEpochMilliseconds(local)
            .toZonedDateTimeISO('UTC')
            .toPlainDateTime()
            .toZonedDateTime(zone).epochMilliseconds,
  };
}

const offsetMs = ({ offsetNanoseconds }: Temporal.ZonedDateTime) => offsetNanoseconds / 1_000_000;

/** What is really counted: as many slices for each span. */
export const partsOf = (spans: readonly Slice[]): Slice[] =>
  spans.flatMap(({ from, to }) => {
    const middle = Math.floor((from + to) / 2);
    return [
      { from, to: middle },
      { from: middle, to },
    ];
  });

/** The counts of such parts as those of their spans. */
export function spansFrom(parts: readonly CountedSlice[]): CountedSlice[] {
  return Array.from({ length: parts.length / partsOfSpan }, (_, at) => {
    const [one, other] = parts.slice(at * partsOfSpan, (at + 1) * partsOfSpan) as [CountedSlice, CountedSlice];
    return {
      from: one.from,
      to: other.to,
      count: one.count + other.count,
      isEstimate: one.isEstimate || other.isEstimate,
    };
  });
}
