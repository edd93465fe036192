import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import type { Bench } from '../bench.ts';
import { measureGrowth } from './growth.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { profileLoad } from './profile.ts';
import { memoryLine } from '../table.ts';
import { comparisonTable, growthTables } from './report.ts';
import { openTestBed } from './test-bed.ts';
import { compareWithFloor, loadTenant, workloadsOf } from './throughput.ts';
import { measureWrites } from './writes.ts';
import { writesTables } from './writes-report.ts';

/** Compares the records API with a minimal service for the same work, and with itself at a hundred times the rows. */
export const recordsBench: Bench = async ({ isQuick, profile }) => {
  await using bed = await openTestBed();
  const tenant = await loadTenant(bed);
  await using load = new LoadProcess();
  if (profile !== undefined) {
    const all = await workloadsOf(bed, tenant);
    return { text: await profileLoad({ bed, key: tenant.key, load, all, name: profile }), figures: {} };
  }
  await using pager = new LoadProcess();
  const plan = isQuick ? quickPlan : fullPlan;
  const { comparisons, residentBytesMax } = await compareWithFloor({ bed, tenant, load, plan });
  const writes = await measureWrites({ bed, tenant, load, plan });
  const growth = await measureGrowth({ bed, small: tenant, load, pager, plan });
  const machine = describeMachine(bed.postgresVersion);
  return {
    text: [
      machine,
      comparisonTable(comparisons),
      memoryLine('Relata', residentBytesMax),
      writesTables(writes),
      growthTables(growth),
    ].join('\n\n'),
    figures: { machine, pace: plan, comparisons, residentBytesMax, writes, growth },
  };
};
