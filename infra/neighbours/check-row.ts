import type { Measured, Neighbour } from './neighbour.ts';
import type { Latencies } from './probe/probe.ts';

export interface Bounds {
  /**
   * Minimum baseline: a lower p99 counts as this value. A few milliseconds are mostly noise of the machine, and no user
   * notices a few more.
   */
  floorMs: number;
  /**
   * Maximum duration of a single request; a longer pause of the service counts as an outage. It allows for pauses of
   * the machine itself.
   */
  longestMs: number;
}

export const bounds: Bounds = { floorMs: 25, longestMs: 1_000 };

/** Maximum factor by which the p99 of the other organization may grow during the flood. */
const allowed = 3;

/** Returns the bound for a p99 during the flood. */
export function boundMs({ p99Ms }: Latencies, { floorMs }: Bounds): number {
  return allowed * Math.max(p99Ms, floorMs);
}

/** Returns the faults of a row; a row without faults has passed. */
export function checkRow(
  row: Pick<Neighbour, 'responses' | 'memory' | 'probes'>,
  measured: Measured,
  options: Bounds,
): string[] {
  const faults = [...measured.problems];
  if (!measured.hadEffect) faults.push('the flood had no effect, so nothing is proved');
  for (const name of row.probes)
    if (!measured.probes.some(({ probe }) => probe === name)) faults.push(`${name} was not measured`);
  for (const { probe, baseline, flooded } of measured.probes) {
    faults.push(...unsound(`${probe} alone`, baseline), ...unsound(`${probe} beside the flood`, flooded));
    faults.push(
      ...tooLong(`${probe}: p99`, flooded.p99Ms, boundMs(baseline, options)),
      ...tooLong(`${probe}: longest wait`, flooded.longestMs, options.longestMs),
    );
  }
  return [...faults, ...responseFaults(row, measured), ...memoryFaults(row, measured)];
}

function tooLong(what: string, ms: number, mostMs: number): string[] {
  if (ms <= mostMs) return [];
  return [`${what} ${round(ms)} ms, at most ${round(mostMs)} ms allowed`];
}

function unsound(what: string, { asked, count, failures }: Latencies): string[] {
  if (count === 0) return [`${what}: nothing was measured`];
  return Object.entries(failures).map(([reason, times]) => `${what}: ${times} of ${asked} failed: ${reason}`);
}

function responseFaults({ responses }: Pick<Neighbour, 'responses'>, { figures }: Measured): string[] {
  return Object.entries(figures).flatMap(([figure, times]) => {
    const [, name, status] = /^(.+) (\d{1,3})$/.exec(figure) ?? [];
    if (name === undefined || responses[name]?.includes(Number(status))) return [];
    return [`the flood got answers that it should not get: ${figure}, ${times} times`];
  });
}

function memoryFaults({ memory }: Pick<Neighbour, 'memory'>, { memoryMb }: Measured): string[] {
  if (!memory || memoryMb === undefined || memoryMb <= memory.mostMb) return [];
  return [`${memory.app} had ${round(memoryMb)} MB, at most ${memory.mostMb} MB allowed`];
}

const round = (value: number) => Math.round(value);
