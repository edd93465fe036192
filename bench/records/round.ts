import type { LoadResult } from '@relata/testbed/load';
import type { LoadProcess } from '@relata/testbed/load-process';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { resetAccounts } from './accounts.sql.ts';
import { connections as usualConnections, type Plan } from './plan.ts';
import type { TestBed, TestOrganization } from './test-bed.ts';
import { loadOf, verify, type Workload } from './workloads.ts';

/** The process that sends the load, the durations, and the address of the service. */
export interface Loading {
  load: LoadProcess;
  plan: Plan;
  url: string;
}

/** The servers, an organization with accounts, the process that sends the load, and the durations. */
export interface RecordsContext {
  bed: TestBed;
  tenant: TestOrganization;
  load: LoadProcess;
  plan: Plan;
}

export interface RoundOptions extends Loading {
  bed: Pick<TestBed, 'admin'>;
  tenant: TestOrganization;
  connections?: number;
  table?: string;
}

/** Returns a function that verifies a workload and warms it up, and one that measures a round of it. */
export function roundOf(workload: Workload, options: RoundOptions) {
  const { bed, tenant, load, plan, url, connections = usualConnections, table = 'public.accounts' } = options;
  const size = { url, headers: { 'X-Api-Key': tenant.key }, connections };
  const run = async (warmUpMs: number, durationMs: number): Promise<LoadResult> => {
    const result = await load.run(loadOf(workload, { ...size, warmUpMs, durationMs }));
    if (workload.writes) await resetAccounts(bed.admin, [table]);
    return result;
  };
  return {
    prepare: async () => {
      await verify(workload, { ...size, warmUpMs: 0, durationMs: 0 });
      await run(plan.firstWarmUpMs, 0);
    },
    measure: () => run(plan.warmUpMs, plan.durationMs),
  };
}

/** Figures of a workload with one connection, which shows the time of a single request, and with many. */
export type AloneAndTogether = Record<'alone' | 'together', Measured>;

/** Compares workloads of several organizations. The rows that the workloads write are not deleted. */
export async function compareTenants<Name extends string>(
  { load, plan, url }: Loading,
  sides: Record<Name, readonly [tenant: TestOrganization, workload: Workload]>,
): Promise<Record<Name, AloneAndTogether>> {
  const all = Object.entries(sides) as [Name, [TestOrganization, Workload]][];
  const sizeOf = ({ key }: TestOrganization, connections: number) => ({
    url,
    headers: { 'X-Api-Key': key },
    connections,
    warmUpMs: plan.warmUpMs,
    durationMs: plan.durationMs / 2,
  });
  const measure = (connections: number) => {
    const runs = all.map(([name, [tenant, workload]]) => {
      return [name, () => load.run(loadOf(workload, sizeOf(tenant, connections)))] as const;
    });
    return interleaved(plan.rounds, Object.fromEntries(runs) as Record<Name, () => Promise<LoadResult>>);
  };
  for (const [, [tenant, workload]] of all) await verify(workload, sizeOf(tenant, 1));
  const [together, alone] = [await measure(usualConnections), await measure(1)];
  const pairs = all.map(([name]) => [name, { alone: alone[name], together: together[name] }]);
  return Object.fromEntries(pairs) as Record<Name, AloneAndTogether>;
}
