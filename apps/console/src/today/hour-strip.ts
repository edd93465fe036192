import type { Db } from '@relata/db';
import type { Today } from '@relata/schemas/console';
import { type CountedSlice, countSlices, sliceMs } from '@relata/workflows/deliveries';

const hourMs = 3_600_000;
const hoursShown = 24;
/** What is stored late has its id from before: so long after its end a slice is counted again. */
const settledMs = 60_000;
const organizationsMax = 500;

/** What came in by the hour. What has ended is counted once; of the rest there are a few slices. */
export class DeliveryStrips {
  readonly #settled = new Map<string, Map<number, CountedSlice>>();

  async hoursOf(db: Db, orgId: string, now = Date.now()): Promise<Today['hours']> {
    const settled = this.#settled.get(orgId) ?? new Map<number, CountedSlice>();
    const starts = startsUntil(now);
    const missing = starts.filter((from) => !settled.has(from));
    const counted = await countSlices(db, orgId, missing);
    const all = new Map([...settled, ...counted.map((slice) => [slice.from, slice] as const)]);
    this.#keep(orgId, [...all.values()], now);
    return hoursFrom(starts.map((from) => all.get(from)!));
  }

  /** Of the organizations that were asked for last. */
  #keep(orgId: string, slices: readonly CountedSlice[], now: number): void {
    const [oldest = now] = startsUntil(now);
    const kept = slices.filter(({ from }) => from >= oldest && from + sliceMs + settledMs < now);
    this.#settled.delete(orgId);
    this.#settled.set(orgId, new Map(kept.map((slice) => [slice.from, slice])));
    if (this.#settled.size > organizationsMax) this.#settled.delete(this.#settled.keys().next().value!);
  }
}

/** Of the hour that goes on, and of the 23 before it. */
function startsUntil(now: number): number[] {
  const first = Math.floor(now / hourMs) * hourMs - (hoursShown - 1) * hourMs;
  return Array.from({ length: (hoursShown * hourMs) / sliceMs }, (_, at) => first + at * sliceMs);
}

function hoursFrom(slices: readonly CountedSlice[]): Today['hours'] {
  const perHour = hourMs / sliceMs;
  return Array.from({ length: hoursShown }, (_, at) => {
    const parts = slices.slice(at * perHour, (at + 1) * perHour);
    return {
      from: new Date(parts[0]!.from).toISOString(),
      deliveries: parts.reduce((sum, { deliveries }) => sum + deliveries, 0),
      is_estimate: parts.some(({ isEstimate }) => isEstimate),
    };
  });
}
