import type { Panel, Section } from '../panel.ts';
import { ofService, selected } from '../promql.ts';

/** How long ago the last of all workers did it; those that have not yet are left out. */
const sinceLast = (metric: string, by = '') => `time() - max${by} (${selected(metric)} > 0)`;

export const natsStorage: Panel = {
  title: 'Disk of NATS',
  description:
    'Of the account of the apps: at its limit the queue takes nothing, and runs begin by the sweep alone. Without a limit: that of its disk.',
  unit: 'bytes',
  queries: { '{{state}}': ofService('nats_storage_bytes') },
  alerts: ['RelataNatsDisk'],
};

const sweep: Panel = {
  title: 'Since the last sweep',
  description:
    'Workers look into the database every second for runs that nobody named. A line that rises, or none: no worker does.',
  unit: 's',
  queries: { 'last sweep': sinceLast('workflow_last_sweep_timestamp_seconds') },
  alerts: ['RelataSweepLate'],
  drawsAlerts: true,
};

const retention: readonly Panel[] = [
  {
    title: 'Since old rows were last dropped',
    description:
      'By kind, every hour: a saw whose teeth are an hour high. One that goes on rising has failed, and one that is missing has not succeeded yet; the log says why.',
    unit: 's',
    queries: { '{{kind}}': sinceLast('retention_last_success_timestamp_seconds', ' by (kind)') },
    alerts: ['RelataRetentionFailing'],
    drawsAlerts: true,
  },
  {
    title: 'Rows that should have been dropped',
    description:
      'For how long the oldest should have been. Up to an hour and a half is usual; more: tables grow faster than they are emptied.',
    unit: 's',
    queries: { '{{kind}}': ofService('retention_overdue_seconds', 'kind') },
    alerts: ['RelataRetentionLate'],
    drawsAlerts: true,
  },
];

export const upkeep: Section = { title: 'Upkeep', panels: [sweep, ...retention, natsStorage] };
