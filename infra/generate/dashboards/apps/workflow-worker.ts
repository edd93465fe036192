import type { Panel } from '../panel.ts';
import { average, ofService, quantile, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';
import { upkeep } from './worker-upkeep.ts';

export const oldestDueRun: Panel = {
  title: 'Oldest due run',
  description:
    'Seconds since it was due. It rises in a straight line: nothing takes it. It wavers above 0: too few workers.',
  unit: 's',
  queries: { '{{state}}': ofService('workflow_oldest_due_run_seconds') },
  alerts: ['RelataRunsLate', 'RelataRunsStopped'],
  drawsAlerts: true,
};

export const openRuns: Panel = {
  title: 'Open runs',
  description: '`queued` should come back to 0. `waiting` are timers and retries, which may stay for days.',
  unit: 'short',
  queries: { '{{state}}': ofService('workflow_runs_open') },
};

export const queue: Panel = {
  title: 'Queue of runs in NATS',
  description: '`waiting` grows with what workers cannot take; `unconfirmed` that stands still is a worker that does.',
  unit: 'short',
  queries: { '{{state}}': ofService('workflow_queue_messages') },
  alerts: ['RelataQueueLag'],
  drawsAlerts: true,
};

export const firstEffect: Panel = {
  title: 'From a delivery to its first effect',
  description: 'What senders feel. Milliseconds on a good day; seconds where runs are found by the sweep alone.',
  unit: 's',
  queries: {
    p50: quantile(0.5, 'workflow_first_step_seconds', ''),
    p95: quantile(0.95, 'workflow_first_step_seconds', ''),
    p99: quantile(0.99, 'workflow_first_step_seconds', ''),
  },
};

export const ended: Panel = {
  title: 'Executions by how they ended',
  description:
    '`failed` are dead until somebody retries them. `lost` were fenced off by another worker; `waiting` goes on later.',
  unit: 'ops',
  queries: { '{{ending}}': sum('ending', rate('workflow_runs_total')) },
  alerts: ['RelataRunsFailing', 'RelataRunsDead'],
};

const endedAs = (endings: string) => sum('', rate('workflow_runs_total', `ending=~"${endings}"`));

export const failing: Panel = {
  title: 'Share of runs that fail',
  description: 'Of those that end for good. `relata runs list --status failed` names the workflow.',
  unit: 'percentunit',
  queries: { failed: `${endedAs('failed')} / ${endedAs('failed|succeeded')}` },
  alerts: ['RelataRunsFailing'],
  drawsAlerts: true,
};

const leases: Panel = {
  title: 'Leases lost and taken over',
  description: 'Within 15 minutes. Both are 0 but for deployments and crashes; else workers stand still.',
  unit: 'short',
  queries: {
    lost: `sum(increase(${selected('workflow_leases_lost_total')}[15m]))`,
    'taken over': `sum(increase(${selected('workflow_leases_taken_over_total')}[15m]))`,
  },
  alerts: ['RelataLeasesLost'],
  drawsAlerts: true,
};

export const workflowWorker: OwnPanels = {
  sections: [
    { title: 'What waits', panels: [oldestDueRun, openRuns, queue, firstEffect, ended, failing] },
    {
      title: 'Runs',
      panels: [
        {
          title: 'Runs that were claimed',
          description:
            'By how they were found. More `sweep` than `ring` (a message) is NATS away, or a queue that dropped.',
          unit: 'ops',
          queries: { '{{way}}': sum('way', rate('workflow_claims_total')) },
        },
        {
          title: 'Active runs',
          description: 'Of each worker. One far below the others stands still.',
          unit: 'short',
          queries: { '{{instance}}': `max by (instance) (${selected('workflow_runs_in_hand')})` },
        },
        {
          title: 'Places',
          description:
            'Of all workers. `waiting` for long: add workers, or raise `WORKER_CONCURRENCY`. `calls` are calls of other systems.',
          unit: 'short',
          queries: { '{{kind}} {{state}}': sum('kind, state', selected('workflow_places')) },
        },
        {
          title: 'Runs in a cohort',
          description: 'Runs that share a transaction. It grows with the load, and makes a run cheaper.',
          unit: 'short',
          queries: { average: average('workflow_cohort_runs', ''), p95: quantile(0.95, 'workflow_cohort_runs', '') },
        },
        leases,
      ],
    },
    {
      title: 'Steps',
      panels: [
        {
          title: 'Steps by kind and ending',
          description: '`waiting` are timers and retries of calls that failed, `failed` end their run.',
          unit: 'ops',
          queries: { '{{use}} {{status}}': sum('use, status', rate('workflow_step_duration_seconds_count')) },
        },
        {
          title: 'Steps that fail by kind',
          description:
            'A kind that fails alone is another system, or a workflow that was published; all of them: the database.',
          unit: 'ops',
          queries: { '{{use}}': sum('use', rate('workflow_step_duration_seconds_count', 'status="failed"')) },
        },
        {
          title: 'p95 of steps by kind',
          description:
            'Of those that succeeded. Calls take as long as the other system; records as long as PostgreSQL.',
          unit: 's',
          queries: { '{{use}}': quantile(0.95, 'workflow_step_duration_seconds', 'use', 'status="succeeded"') },
        },
      ],
    },
    upkeep,
  ],
};
