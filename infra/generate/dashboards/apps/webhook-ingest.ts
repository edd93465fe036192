import type { Panel } from '../panel.ts';
import { average, quantile, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';

const refusedTotal = sum('', rate('webhook_deliveries_refused_total'));
const acceptedTotal = sum('', rate('webhook_deliveries_accepted_total'));

/** Failures of the receiver itself. */
const failing = sum(
  '',
  rate('webhook_deliveries_refused_total', 'reason=~"service_unavailable|internal_error|in_doubt"'),
);

export const accepted: Panel = {
  title: 'Deliveries accepted',
  description: 'New ones and repeats in a second. Repeats that grow are a sender that did not get our 202 in time.',
  unit: 'ops',
  queries: { '{{kind}}': sum('kind', rate('webhook_deliveries_accepted_total')) },
};

export const refusedPosts: Panel = {
  title: 'Deliveries refused',
  description:
    'By reason. `relata deliveries list --refused` says whose; `service_unavailable` and `internal_error` are ours.',
  unit: 'ops',
  queries: { '{{reason}}': sum('reason', rate('webhook_deliveries_refused_total')) },
  alerts: ['RelataDeliveriesRefused'],
};

export const waitToBeStored: Panel = {
  title: 'Deliveries that wait to be stored',
  description: 'Of each process. Usually near 0: what waits for long waits for PostgreSQL.',
  unit: 'short',
  queries: { '{{instance}}': `max by (instance) (${selected('webhook_queue_depth')})` },
  alerts: ['RelataDeliveriesQueued'],
  drawsAlerts: true,
};

export const webhookIngest: OwnPanels = {
  sections: [
    {
      title: 'Deliveries',
      panels: [
        accepted,
        refusedPosts,
        {
          title: 'Share that is refused',
          description: 'Of all that is posted. A step upwards is a secret that was rotated on one side.',
          unit: 'percentunit',
          queries: { refused: `${refusedTotal} / (${refusedTotal} + ${acceptedTotal})` },
          alerts: ['RelataDeliveriesRefused'],
          drawsAlerts: true,
        },
        {
          title: 'Share that the receiver fails to take',
          description:
            'Of what it should take: PostgreSQL is slow or away. Senders post these again; `in_doubt` may have been stored.',
          unit: 'percentunit',
          queries: { failing: `${failing} / (${failing} + ${acceptedTotal})` },
          alerts: ['RelataDeliveriesFailing'],
          drawsAlerts: true,
        },
        waitToBeStored,
        {
          title: 'Deliveries in a commit',
          description:
            'Batches grow with the load, and make it cheaper. At 100 the receiver stores as fast as it can: add replicas.',
          unit: 'short',
          queries: {
            average: average('webhook_batch_size', ''),
            p95: quantile(0.95, 'webhook_batch_size', ''),
          },
        },
        {
          title: 'Messages to the workers',
          description:
            '`false` were dropped because NATS was away: those runs begin when a worker looks into the database.',
          unit: 'ops',
          queries: { 'given to NATS: {{taken}}': sum('taken', rate('webhook_rings_total')) },
          alerts: ['RelataNatsAway'],
        },
      ],
    },
  ],
};
