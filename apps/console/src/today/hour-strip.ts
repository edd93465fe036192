import type { Db } from '@relata/db';
import type { CountedSlice, Slice } from '@relata/workflows/deliveries';

const hourMs = 3_600_000;
const hoursShown = 24;
/** So long that a few counts make a day, and as short as the shift of any time zone. */
const sliceMs = 15 * 60_000;
/** What is stored late has its id from before: so long after its end a slice is counted again. */
const settledMs = 60_000;
const organizationsMax = 500;

type Count = (db: Db, orgId: string, slices: readonly Slice[]) => Promise<CountedSlice[]>;

/** What was made by the hour. What has ended is counted once; of the rest there are a few slices. */
export class HourStrips {
  readonly #count: Count;
  readonly #settled = new Map<string, Map<number, CountedSlice>>();

  constructor(count: Count) {
    this.#count = count;
  }

  async hoursOf(db: Db, orgId: string, now = Date.now()): Promise<CountedSlice[]> {
    const settled = this.#settled.get(orgId) ?? new Map<number, CountedSlice>();
    const slices = slicesUntil(now);
    const missing = slices.filter(({ from }) => !settled.has(from));
    const counted = await this.#count(db, orgId, missing);
    const all = new Map([...settled, ...counted.map((slice) => [slice.from, slice] as const)]);
    this.#keep(orgId, [...all.values()], now);
    return hoursFrom(slices.map(({ from }) => all.get(from)!));
  }

  /** Of the organizations that were asked for last. */
  #keep(orgId: string, slices: readonly CountedSlice[], now: number): void {
    const oldest = slicesUntil(now)[0]!.from;
    const kept = slices.filter(({ from, to }) => from >= oldest && to + settledMs < now);
    this.#settled.delete(orgId);
    this.#settled.set(orgId, new Map(kept.map((slice) => [slice.from, slice])));
    if (this.#settled.size > organizationsMax) this.#settled.delete(this.#settled.keys().next().value!);
  }
}

/** Of the hour that goes on, and of the 23 before it. */
function slicesUntil(now: number): Slice[] {
  const first = Math.floor(now / hourMs) * hourMs - (hoursShown - 1) * hourMs;
  return Array.from({ length: (hoursShown * hourMs) / sliceMs }, (_, at) => {
    const from = first + at * sliceMs;
    return { from, to: from + sliceMs };
  });
}

/** The same hours as a whole. What may still change in all of them is counted so: a retry ends the failure of an old run. */
export function hoursUntil(now: number): Slice[] {
  const starts = slicesUntil(now).filter((_, at) => at % (hourMs / sliceMs) === 0);
  return starts.map(({ from }) => ({ from, to: from + hourMs }));
}

function hoursFrom(slices: readonly CountedSlice[]): CountedSlice[] {
  const perHour = hourMs / sliceMs;
  return Array.from({ length: hoursShown }, (_, at) => {
    const parts = slices.slice(at * perHour, (at + 1) * perHour);
    return {
      from: parts[0]!.from,
      to: parts.at(-1)!.to,
      count: parts.reduce((sum, { count }) => sum + count, 0),
      isEstimate: parts.some(({ isEstimate }) => isEstimate),
    };
  });
}
