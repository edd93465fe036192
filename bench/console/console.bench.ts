import type { Bench } from '../bench.ts';
import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import { fullPlan, measurePages, quickPlan } from './measure.ts';
import { loadDeliveries } from './past.sql.ts';
import { memoryLine } from '../table.ts';
import { pagesTable } from './report.ts';
import { openTestBed } from './test-bed.ts';

/** Measures the requests of the console's pages in a database with ten million deliveries. */
export const consoleBench: Bench = async ({ isQuick, stack }) => {
  const bed = await openTestBed(stack);
  await using load = new LoadProcess();
  const plan = isQuick ? quickPlan : fullPlan;
  await loadDeliveries(bed.database, plan.deliveries);
  const { figures, residentBytesMax } = await measurePages({ bed, load, plan });
  const machine = describeMachine(bed.postgresVersion);
  return {
    text: [machine, pagesTable(figures), memoryLine('the console', residentBytesMax)].join('\n\n'),
    figures: { machine, pace: plan, figures, residentBytesMax },
  };
};
