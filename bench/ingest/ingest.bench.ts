import { LoadProcess } from '@relata/testbed/load-process';
import { describeMachine } from '@relata/testbed/machine';
import type { Bench } from '../bench.ts';
import { measureAcceptance } from './acceptance.ts';
import { fullPlan, quickPlan } from './plan.ts';
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
  const plan = isQuick ? quickPlan : fullPlan;
  const databases = {
    none: await bed.createIngestDatabase('bench'),
    old: await bed.createIngestDatabase('bench_old'),
    fresh: await bed.createIngestDatabase('bench_fresh'),
  };
  const { acceptances, residentBytesMax } = await measureAcceptance({ bed, database: databases.none, load, plan });
  const runs = await measureRuns({ bed, databases, plan });
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
    latencyTable(runs, plan),
  ];
  return {
    text: [machine, ...tables, burstTable(runs, plan), besideTable(runs), memoryTable(memory)].join('\n\n'),
    figures: { machine, pace: plan, acceptances, runs, memory },
  };
};
