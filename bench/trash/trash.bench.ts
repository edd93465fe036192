import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import type { Bench } from '../bench.ts';
import { fullPlan, quickPlan } from '../records/plan.ts';
import { openTestBed } from '../records/test-bed.ts';
import { loadTenant } from '../records/throughput.ts';
import { measureDeletes } from './deletes.ts';
import { measureMerges } from './merges.ts';
import { deletesTable, mergesLine } from './report.ts';

/** Compares deletes, one by one and in batches, with patches, and measures merges (acceptance B7.11). */
export const trashBench: Bench = async ({ isQuick, only = ['deletes', 'merges'] }) => {
  await using bed = await openTestBed();
  const tenant = await loadTenant(bed);
  await using relata = await bed.startRelata();
  await using load = new LoadProcess();
  const plan = isQuick ? quickPlan : fullPlan;
  const at = { bed, tenant, load, plan, url: relata.url };
  const deletes = only.includes('deletes') ? await measureDeletes(at) : undefined;
  const merges = only.includes('merges') ? await measureMerges(at, isQuick ? 20 : 100) : undefined;
  const machine = describeMachine(bed.postgresVersion);
  return {
    text: [machine, ...(deletes ? [deletesTable(deletes)] : []), ...(merges ? [mergesLine(merges)] : [])].join('\n\n'),
    figures: { machine, pace: plan, deletes, merges },
  };
};
