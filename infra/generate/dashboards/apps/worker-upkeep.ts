import type { Panel, Section } from '../panel.ts';
import { ofService, selected } from '../promql.ts';

/** Returns PromQL for the time since a worker last did what the metric records. Excludes workers that never did. */
const sinceLast = (metric: string, by = '') => `time() - max${by} (${selected(metric)} > 0)`;

export const natsStorage: Panel = {
  title: 'Disk space of NATS',
  description:
    'Used by the account of the apps. If the account or the disk is full, the queue accepts nothing, and only the sweep starts runs.',
  unit: 'bytes',
  queries: { '{{state}}': ofService('nats_storage_bytes') },
  alerts: ['RelataNatsDisk'],
};

const sweep: Panel = {
  title: 'Since the last sweep',
  description:
    'Every second, workers look in the database for runs whose message was lost. If the line rises or is missing, no worker sweeps.',
  unit: 's',
  queries: { 'last sweep': sinceLast('workflow_last_sweep_timestamp_seconds') },
  alerts: ['RelataSweepLate'],
  drawsAlerts: true,
};

const retention: readonly Panel[] = [
  {
    title: 'Since expired rows were last deleted',
    description:
      'By kind. Each line falls to 0 every hour. If a line keeps rising, deletion fails; if it is missing, no running worker has succeeded yet. The log has the reason.',
    unit: 's',
    queries: { '{{kind}}': sinceLast('retention_last_success_timestamp_seconds', ' by (kind)') },
    alerts: ['RelataRetentionFailing'],
    drawsAlerts: true,
  },
  {
    title: 'Rows overdue for deletion',
    description:
      'How long the oldest row is overdue. Up to an hour and a half is normal; beyond that, tables grow faster than rows are deleted.',
    unit: 's',
    queries: { '{{kind}}': ofService('retention_overdue_seconds', 'kind') },
    alerts: ['RelataRetentionLate'],
    drawsAlerts: true,
  },
];

export const upkeep: Section = { title: 'Upkeep', panels: [sweep, ...retention, natsStorage] };
