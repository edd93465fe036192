import type { Measured, Neighbour } from './neighbour.ts';
import type { Latencies } from './probe/probe.ts';

export interface Fault {
  /** True if only a time was exceeded, which a busy machine may cause as well. */
  isOfTime: boolean;
  text: string;
}

/**
 * A baseline of a few milliseconds is mostly the machine's own noise: below this p99 a baseline counts as if it were
 * this long.
 */
export interface JudgeOptions {
  floorMs: number;
}

/** The bound for a p99 during the flood. */
export function boundMs({ p99Ms }: Latencies, allowed: number, { floorMs }: JudgeOptions): number {
  return allowed * Math.max(p99Ms, floorMs);
}

/** Returns the faults of a row; a row without faults holds. */
export function judge(
  row: Pick<Neighbour, 'allowed' | 'memory' | 'probes'>,
  measured: Measured,
  options: JudgeOptions,
) {
  const faults: Fault[] = measured.problems.map(lasting);
  if (!measured.hadEffect) faults.push(lasting('the flood was not felt, so that nothing is proved'));
  for (const name of row.probes)
    if (!measured.probes.some(({ probe }) => probe === name)) faults.push(lasting(`${name} was not measured`));
  for (const { probe, baseline, flooded } of measured.probes) {
    faults.push(...unsound(`${probe} alone`, baseline), ...unsound(`${probe} beside the flood`, flooded));
    const most = boundMs(baseline, row.allowed, options);
    if (!(flooded.p99Ms <= most))
      faults.push({
        isOfTime: true,
        text: `${probe}: p99 ${round(flooded.p99Ms)} ms, at most ${round(most)} ms allowed`,
      });
  }
  return [...faults, ...memoryFaults(row, measured)];
}

function unsound(what: string, { count, failures }: Latencies): Fault[] {
  if (count === 0) return [lasting(`${what}: nothing was measured`)];
  return Object.entries(failures).map(([reason, times]) => lasting(`${what}: ${times} of ${count} failed: ${reason}`));
}

function memoryFaults({ memory }: Pick<Neighbour, 'memory'>, { memoryMb }: Measured): Fault[] {
  if (!memory || memoryMb === undefined || memoryMb <= memory.mostMb) return [];
  return [lasting(`${memory.app} had ${round(memoryMb)} MB, at most ${memory.mostMb} MB allowed`)];
}

const lasting = (text: string): Fault => ({ isOfTime: false, text });
const round = (value: number) => Math.round(value);
