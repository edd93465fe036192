import { Counter, Gauge, Histogram, type Metrics, type Slots } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import type { Ending } from '../run/ending.ts';
import { measureFailedWorkflows } from './failed-workflows.metrics.ts';
import { measureWholeService, type ServiceReads } from './whole-service.metrics.ts';

export type WorkerMetrics = ReturnType<typeof measureWorker>;

interface WorkerLoad {
  active: number;
  places: { runs: Slots; calls: Slots };
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function measureWorker(registry: Metrics) {
  const registers = [registry];
  const claims = new Counter({
    name: 'workflow_claims_total',
    help: 'Runs that were claimed, by how they were found.',
    labelNames: ['way'],
    registers,
  });
  const sweep = new Gauge({
    name: 'workflow_last_sweep_timestamp_seconds',
    help: 'Time at which this worker last searched the database for due runs; 0 before the first time.',
    registers,
  });
  const taken = new Counter({
    name: 'workflow_leases_taken_over_total',
    help: 'Runs that were claimed after the lease of another worker expired.',
    registers,
  });
  const endings = new Counter({
    name: 'workflow_runs_total',
    help: 'Executions that ended, by outcome: succeeded, failed, waiting, lost (another worker has the run) or interrupted.',
    labelNames: ['ending'],
    registers,
  });
  const steps = new Histogram({
    name: 'workflow_step_duration_seconds',
    help: 'Duration of steps, by kind and outcome.',
    labelNames: ['use', 'status'],
    buckets: durations,
    registers,
  });
  const sharedTransactions = new Histogram({
    name: 'workflow_cohort_runs',
    help: 'Number of runs whose record steps shared one transaction.',
    buckets: [1, 2, 4, 8, 16, 32],
    registers,
  });
  const firstCommits = new Histogram({
    name: 'workflow_first_step_seconds',
    help: 'Time from the acceptance of a delivery to the first committed effect of its run.',
    buckets: durations,
    registers,
  });
  const lostLeases = new Counter({
    name: 'workflow_leases_lost_total',
    help: 'Runs whose lease was lost before its renewal.',
    registers,
  });
  const noteFailure = measureFailedWorkflows(registry);
  // All outcomes are 0 from the start, so that the first failure is an increase.
  for (const ending of ['succeeded', 'failed', 'waiting', 'lost', 'interrupted']) endings.inc({ ending }, 0);
  return {
    /**
     * Called after a successful claim, even if it claimed no run. `way` is `hinted` if hints named the runs, `limited`
     * if their workflow has a limit, `overflow` if their organization has runs without hints, and `sweep` if a sweep
     * found them.
     */
    claimed(way: string, runs: readonly ClaimedRun[]) {
      if (way === 'sweep') sweep.setToCurrentTime();
      claims.inc({ way }, runs.length);
      taken.inc(runs.filter(({ stalls }) => stalls > 0).length);
    },
    ended(ending: Ending, run: Pick<ClaimedRun, 'workflow_id'>) {
      const outcome = ending.kind === 'ended' ? ending.status : ending.kind;
      endings.inc({ ending: outcome });
      if (outcome === 'failed') noteFailure(run.workflow_id);
    },
    sharedTransaction: (runs: number) => sharedTransactions.observe(runs),
    stepDone: (use: string, status: string, seconds: number) => steps.observe({ use, status }, seconds),
    firstCommit: (seconds: number) => firstCommits.observe(seconds),
    lost: (count: number) => lostLeases.inc(count),
    /** Reports the current load of the worker, and the backlog of the whole service. */
    watch(load: () => WorkerLoad, service: ServiceReads) {
      measureWholeService(registers, service);
      void new Gauge({
        name: 'workflow_runs_in_hand',
        help: 'Active runs of this worker.',
        registers,
        collect() {
          this.set(load().active);
        },
      });
      void new Gauge({
        name: 'workflow_places',
        help: 'Slots of this worker for runs and for calls to other systems, by state: held or free. `waiting` counts runs that wait for a slot.',
        labelNames: ['kind', 'state'],
        registers,
        collect() {
          const { runs, calls } = load().places;
          for (const [kind, slots] of Object.entries({ runs, calls })) {
            this.set({ kind, state: 'held' }, slots.size - slots.free);
            this.set({ kind, state: 'free' }, slots.free);
            this.set({ kind, state: 'waiting' }, slots.waiting);
          }
        },
      });
    },
  };
}
