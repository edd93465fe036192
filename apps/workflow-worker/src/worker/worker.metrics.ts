import { Counter, Gauge, Histogram, type Metrics, Recent, type Slots } from '@relata/runtime';
import type { ClaimedRun, RunAges } from '@relata/workflows/execution';
import type { Ending } from '../run/execution.ts';

export interface WorkerMetrics {
  /** Runs were claimed: named by a message, of an organization that is behind, by the sweep, or of a workflow with a limit. */
  claimed(way: string, runs: readonly ClaimedRun[]): void;
  /** An execution ended. */
  ended(ending: Ending): void;
  /** So many runs did their record steps in one transaction. */
  cohort(runs: number): void;
  stepDone(use: string, status: string, seconds: number): void;
  /** The first effect of a run was committed so long after its delivery was accepted. */
  firstCommit(seconds: number): void;
  /** Leases that were not renewed: another worker has the runs, or they were cancelled. */
  lost(count: number): void;
  /** What the worker has at this moment, and what waits in the whole service. */
  watch(load: () => WorkerLoad, service: ServiceReads): void;
}

/** What is read from elsewhere, at most once in `keptMs`, however often it is scraped. */
interface ServiceReads {
  /** Runs in the database by state. */
  open(): Promise<Record<string, number>>;
  ages(): Promise<RunAges>;
  /** Messages of the queue of runs. */
  queue(): Promise<{ waiting: number; unconfirmed: number }>;
}

const keptMs = 5_000;

interface WorkerLoad {
  /** Runs that are active. */
  active: number;
  places: { runs: Slots; calls: Slots };
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function measureWorker(registry: Metrics): WorkerMetrics {
  const registers = [registry];
  const claims = new Counter({
    name: 'workflow_claims_total',
    help: 'Runs that were claimed, by the way they were found.',
    labelNames: ['way'],
    registers,
  });
  const taken = new Counter({
    name: 'workflow_leases_taken_over_total',
    help: 'Runs that were claimed after the lease of another worker ran out.',
    registers,
  });
  const endings = new Counter({
    name: 'workflow_runs_total',
    help: 'Executions that ended, by outcome: succeeded, failed, waiting, lost (fenced off) or interrupted.',
    labelNames: ['ending'],
    registers,
  });
  const steps = new Histogram({
    name: 'workflow_step_duration_seconds',
    help: 'Time that a step took, by kind and by how it ended.',
    labelNames: ['use', 'status'],
    buckets: durations,
    registers,
  });
  const cohorts = new Histogram({
    name: 'workflow_cohort_runs',
    help: 'Runs that did their record steps in one transaction.',
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
    help: 'Runs whose lease was lost when it was due for renewal.',
    registers,
  });
  return {
    claimed(way, runs) {
      claims.inc({ way }, runs.length);
      taken.inc(runs.filter(({ stalls }) => stalls > 0).length);
    },
    ended: (ending) => endings.inc({ ending: ending.kind === 'ended' ? ending.status : ending.kind }),
    cohort: (runs) => cohorts.observe(runs),
    stepDone: (use, status, seconds) => steps.observe({ use, status }, seconds),
    firstCommit: (seconds) => firstCommits.observe(seconds),
    lost: (count) => lostLeases.inc(count),
    watch(load, service) {
      measureService(registers, service);
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
        help: 'Places of this worker, for runs that are worked on and for calls of other systems, and who waits for one.',
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

/** Nothing is reported while the database or NATS is unavailable. */
function measureService(registers: Metrics[], { open, ages, queue }: ServiceReads): void {
  const gauge = (name: string, help: string, read: () => Promise<object>) => {
    const recent = new Recent(read, { keptMs });
    void new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        const values = Object.entries((await recent.get()) ?? {});
        this.reset();
        for (const [state, value] of values) if (typeof value === 'number') this.set({ state }, value);
      },
    });
  };
  gauge('workflow_runs_open', 'Runs of the whole service that have not ended, by state.', open);
  gauge(
    'workflow_oldest_due_run_seconds',
    'For how long the oldest run has been due: queued, or begun and without a worker. Without those of workflows with a limit.',
    ages,
  );
  gauge(
    'workflow_queue_messages',
    'Messages of the queue of runs in JetStream: waiting for a worker, or given to one and unconfirmed.',
    async () => {
      const { waiting, unconfirmed } = await queue();
      return { waiting, unconfirmed };
    },
  );
}
