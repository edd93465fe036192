import { readFile } from 'node:fs/promises';

/**
 * Begins to count what the hypervisor gives to other machines. The returned function says which share of this machine's
 * processor time it has been since; undefined where the system does not count it.
 */
export async function countStolen(): Promise<() => Promise<number | undefined>> {
  const before = await processorTime();
  return async () => {
    const now = await processorTime();
    if (!before || !now) return undefined;
    return shareStolen(before, now);
  };
}

export interface ProcessorTime {
  all: number;
  stolen: number;
}

export function shareStolen(before: ProcessorTime, now: ProcessorTime): number {
  const all = now.all - before.all;
  return all <= 0 ? 0 : (now.stolen - before.stolen) / all;
}

async function processorTime(): Promise<ProcessorTime | undefined> {
  return readProcessorTime(await readFile('/proc/stat', 'utf8').catch(() => ''));
}

/** The line of all processors, in ticks: user, nice, system, idle, iowait, irq, softirq, steal; see proc_stat(5). */
export function readProcessorTime(text: string): ProcessorTime | undefined {
  const line = /^cpu +([\d ]+)$/m.exec(text)?.[1];
  const ticks = line?.trim().split(/ +/).slice(0, 8).map(Number);
  if (ticks?.length !== 8) return undefined;
  return { all: ticks.reduce((sum, some) => sum + some, 0), stolen: ticks[7]! };
}
