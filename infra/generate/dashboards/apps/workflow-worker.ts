import type { Panel } from '../panel.ts';
import { average, ofService, quantile, quantiles, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';
import { upkeep } from './worker-upkeep.ts';

export const oldestDueRun: Panel = {
  title: 'Oldest due run',
  description:
    'Seconds since it was due. A straight rise means that no worker claims it. A value that varies above 0 means too few workers.',
  unit: 's',
  queries: { '{{state}}': ofService('workflow_oldest_due_run_seconds') },
  alerts: ['RelataRunsLate', 'RelataRunsStopped'],
  drawsAlerts: true,
};

export const openRuns: Panel = {
  title: 'Open runs',
  description: '`queued` should return to 0. `waiting` are timers and retries, which may last for days.',
  unit: 'short',
  queries: { '{{state}}': ofService('workflow_runs_open') },
};

export const queue: Panel = {
  title: 'Queue of runs in NATS',
  description: '`waiting` grows if the workers are too slow; if `unconfirmed` does not change, a worker is stuck.',
  unit: 'short',
  queries: { '{{state}}': ofService('workflow_queue_messages') },
  alerts: ['RelataQueueLag'],
  drawsAlerts: true,
};

export const firstEffect: Panel = {
  title: 'From a delivery to its first effect',
  description: 'Usually milliseconds; seconds if only the sweep finds runs.',
  unit: 's',
  queries: quantiles('workflow_first_step_seconds'),
};

export const ended: Panel = {
  title: 'Executions by ending',
  description:
    '`failed` runs stay failed until somebody retries them. `lost` were taken over by another worker; `waiting` continue later.',
  unit: 'ops',
  queries: { '{{ending}}': sum('ending', rate('workflow_runs_total')) },
  alerts: ['RelataRunsFailing', 'RelataRunsDead'],
};

const endedAs = (endings: string) => sum('', rate('workflow_runs_total', `ending=~"${endings}"`));

export const failing: Panel = {
  title: 'Share of failed runs',
  description: 'Share of the runs that ended. `relata runs list --status failed` names the workflow.',
  unit: 'percentunit',
  queries: { failed: `${endedAs('failed')} / ${endedAs('failed|succeeded')}` },
  alerts: ['RelataRunsFailing'],
  drawsAlerts: true,
};

const leases: Panel = {
  title: 'Leases lost and taken over',
  description: 'Per 15 minutes. Both are 0 except during deployments and after crashes; otherwise workers are stuck.',
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
    { title: 'Backlog', panels: [oldestDueRun, openRuns, queue, firstEffect, ended, failing] },
    {
      title: 'Runs',
      panels: [
        {
          title: 'Claimed runs',
          description:
            'By how workers found the runs. More `sweep` than `ring` (a message) means that NATS is unavailable, or that its queue dropped messages.',
          unit: 'ops',
          queries: { '{{way}}': sum('way', rate('workflow_claims_total')) },
        },
        {
          title: 'Active runs',
          description: 'By worker. A worker that stays far below the others may be stuck.',
          unit: 'short',
          queries: { '{{instance}}': `max by (instance) (${selected('workflow_runs_in_hand')})` },
        },
        {
          title: 'Slots for runs',
          description:
            'Of all workers. If `waiting` stays high, add workers or raise `WORKER_CONCURRENCY`. `calls` are requests to other systems.',
          unit: 'short',
          queries: { '{{kind}} {{state}}': sum('kind, state', selected('workflow_places')) },
        },
        {
          title: 'Runs per transaction',
          description:
            'Number of runs that share a transaction. It grows with the load, which reduces the cost of a run.',
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
          description: '`waiting` steps are timers and retries of failed calls. A `failed` step ends its run.',
          unit: 'ops',
          queries: { '{{use}} {{status}}': sum('use, status', rate('workflow_step_duration_seconds_count')) },
        },
        {
          title: 'Failed steps by kind',
          description:
            'If one kind fails, suspect another system or a new version of a workflow; if all kinds fail, suspect the database.',
          unit: 'ops',
          queries: { '{{use}}': sum('use', rate('workflow_step_duration_seconds_count', 'status="failed"')) },
        },
        {
          title: 'p95 of steps by kind',
          description: 'Of successful steps. Calls take as long as the other system, records as long as PostgreSQL.',
          unit: 's',
          queries: { '{{use}}': quantile(0.95, 'workflow_step_duration_seconds', 'use', 'status="succeeded"') },
        },
      ],
    },
    upkeep,
  ],
};
