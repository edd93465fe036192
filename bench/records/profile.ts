import type { LoadProcess } from '@relata/testbed/load-process';
import { profiled } from '@relata/testbed/cpu-profile';
import { say } from '@relata/testbed/suite-program';
import { connections } from './pace.ts';
import type { TestBed, TestOrganization } from './test-bed.ts';
import { workloadsOf } from './throughput.ts';
import { loadOf } from './workloads.ts';

interface ProfileOptions {
  bed: TestBed;
  tenant: TestOrganization;
  load: LoadProcess;
  name: string;
}

const warmUpMs = 1_000;
const durationMs = 8_000;

export async function profileWorkload({ bed, tenant, load, name }: ProfileOptions): Promise<string> {
  const workloads = await workloadsOf(bed, tenant);
  const workload = workloads.find((candidate) => candidate.name === name);
  if (!workload) throw new Error(`Unknown workload ${name}. Use ${workloads.map((known) => known.name).join(', ')}.`);
  say(`profiling ${workload.title}`);
  return profiled(bed.folder, async (profiling) => {
    await using relata = await bed.startRelata(profiling);
    const size = { url: relata.url, headers: { 'X-Api-Key': tenant.key }, connections, warmUpMs, durationMs };
    const { requestsPerSecond } = await load.run(loadOf(workload, size));
    return `${workload.title}: ${Math.round(requestsPerSecond)} requests/s while profiled`;
  });
}
