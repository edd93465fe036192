import type { Bench } from '../bench.ts';
import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import { fullPace, measurePages, quickPace } from './measure.ts';
import { loadDeliveries } from './past.sql.ts';
import { memoryLine } from '../table.ts';
import { pagesTable } from './report.ts';
import { openTestBed } from './test-bed.ts';

/** Measures the requests of the console's pages in a database with ten million deliveries. */
export const consoleBench: Bench = async ({ isQuick, stack }) => {
  const bed = await openTestBed(stack);
  await using load = new LoadProcess();
  const pace = isQuick ? quickPace : fullPace;
  await loadDeliveries(bed.site, pace.deliveries);
  const { figures, residentBytesMax } = await measurePages({ bed, load, pace });
  const machine = describeMachine(bed.postgresVersion);
  return {
    text: [machine, pagesTable(figures), memoryLine('the console', residentBytesMax)].join('\n\n'),
    figures: { machine, pace, figures, residentBytesMax },
  };
};
