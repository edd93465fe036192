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

/** Spans of time of the same length that are easily read, of which the first and the last may be cut: at most 32. */
export function spansOf(from: number, to: number): Slice[] {
  if (to <= from) return [];
  // The first one may be cut, and then there is one more.
  const width = widthsMs.find((each) => (to - from) / each <= spansMax - 1) ?? Math.ceil((to - from) / (spansMax - 1));
  const first = Math.floor(from / width) * width;
  const count = Math.ceil((to - first) / width);
  return Array.from({ length: count }, (_, at) => ({
    from: Math.max(from, first + at * width),
    to: Math.min(to, first + (at + 1) * width),
  }));
}

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
