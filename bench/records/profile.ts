import type { LoadRequest } from '@relata/testbed/load';
import type { LoadProcess } from '@relata/testbed/load-process';
import { profiled } from '@relata/testbed/cpu-profile';
import type { Program } from '@relata/testbed/program';
import { say } from '@relata/testbed/suite-program';
import { connections } from './plan.ts';

interface ProfileOptions {
  bed: { folder: string; startRelata(nodeOptions: string[]): Promise<Program> };
  key: string;
  load: LoadProcess;
  /** The loads to choose from. */
  all: readonly { name: string; title: string; requests: LoadRequest[]; status: number }[];
  name: string;
}

/** Profiles the records API under the load with this name. */
export async function profileLoad({ bed, key, load, all, name }: ProfileOptions): Promise<string> {
  const chosen = all.find((each) => each.name === name);
  if (!chosen) throw new Error(`Unknown workload ${name}. Use ${all.map((each) => each.name).join(', ')}.`);
  const { title, requests, status } = chosen;
  say(`profiling ${title}`);
  return profiled(bed.folder, async (profiling) => {
    await using relata = await bed.startRelata(profiling);
    const size = { url: relata.url, headers: { 'X-Api-Key': key }, connections, warmUpMs: 1_000, durationMs: 8_000 };
    const { requestsPerSecond } = await load.run({ ...size, requests, status });
    return `${title}: ${Math.round(requestsPerSecond)} requests/s while profiled`;
  });
}
