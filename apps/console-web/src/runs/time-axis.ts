/** Units with their length in ms and the multiples to use as distances between ticks. */
const units = [
  ['d', 86_400_000, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]],
  ['h', 3_600_000, [1, 2, 6, 12]],
  ['min', 60_000, [1, 2, 5, 10, 15, 30]],
  ['s', 1_000, [1, 2, 5, 10, 15, 30]],
  ['ms', 1, [1, 2, 5, 10, 20, 50, 100, 200, 500]],
] as const;

const steps = units.toReversed().flatMap(([, size, counts]) => counts.map((count) => count * size));

const ticksMax = 3;

interface Tick {
  ms: number;
  text: string;
}

/** Returns evenly spaced ticks from 0 to a duration, all in the same unit. */
export function axisTicks(tookMs: number): Tick[] {
  const step = steps.find((each) => tookMs / each < ticksMax) ?? tookMs;
  const [unit, size] = units.find(([, ms]) => step >= ms) ?? ['ms', 1];
  return Array.from({ length: Math.floor(tookMs / step) + 1 }, (_, at) => ({
    ms: at * step,
    text: at === 0 ? '0' : `${Math.round((at * step) / size)} ${unit}`,
  }));
}
