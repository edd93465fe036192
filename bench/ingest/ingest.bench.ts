import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import type { Bench } from '../bench.ts';
import { measureAcceptance } from './acceptance.ts';
import { fullPace, quickPace } from './pace.ts';
import { profileIngest } from './profile.ts';
import {
  acceptanceTable,
  batchTable,
  besideTable,
  burstTable,
  latencyTable,
  memoryTable,
  signedTable,
} from './report.ts';
import { measureRuns } from './runs.ts';
import { openTestBed } from './test-bed.ts';

/** Measures how fast the receiver stores deliveries, and how fast their runs write their effects. */
export const ingestBench: Bench = async ({ isQuick, profile, stack }) => {
  const bed = await openTestBed(stack);
  await using load = new LoadProcess();
  if (profile !== undefined) return { text: await profileIngest({ bed, load, name: profile }), figures: {} };
  const pace = isQuick ? quickPace : fullPace;
  const sites = {
    none: await bed.openSite('bench'),
    old: await bed.openSite('bench_old'),
    fresh: await bed.openSite('bench_fresh'),
  };
  const { acceptances, residentBytesMax } = await measureAcceptance({ bed, site: sites.none, load, pace });
  const runs = await measureRuns({ bed, sites, pace });
  const machine = describeMachine(bed.postgresVersion);
  const memory = {
    'receiver alone': residentBytesMax,
    'receiver with a worker': runs.residentBytesMax.receiver,
    worker: runs.residentBytesMax.worker,
  };
  const tables = [
    acceptanceTable(acceptances),
    signedTable(acceptances),
    batchTable(acceptances),
    latencyTable(runs, pace),
  ];
  return {
    text: [machine, ...tables, burstTable(runs, pace), besideTable(runs), memoryTable(memory)].join('\n\n'),
    figures: { machine, pace, acceptances, runs, memory },
  };
};
