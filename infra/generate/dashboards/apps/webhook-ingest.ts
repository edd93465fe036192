import type { Panel } from '../panel.ts';
import { average, quantile, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';

const refusedTotal = sum('', rate('webhook_deliveries_refused_total'));
const acceptedTotal = sum('', rate('webhook_deliveries_accepted_total'));

/** Rate of posts that were refused because the receiver itself failed. */
const failing = sum(
  '',
  rate('webhook_deliveries_refused_total', 'reason=~"service_unavailable|internal_error|in_doubt"'),
);

export const accepted: Panel = {
  title: 'Deliveries accepted',
  description: 'New and repeated deliveries per second. If repeats increase, a sender did not receive its 202 in time.',
  unit: 'ops',
  queries: { '{{kind}}': sum('kind', rate('webhook_deliveries_accepted_total')) },
};

export const refusedPosts: Panel = {
  title: 'Deliveries refused',
  description:
    'By reason. `relata deliveries list --refused` names the senders; `service_unavailable` and `internal_error` are errors of Relata.',
  unit: 'ops',
  queries: { '{{reason}}': sum('reason', rate('webhook_deliveries_refused_total')) },
  alerts: ['RelataDeliveriesRefused'],
};

export const waitToBeStored: Panel = {
  title: 'Deliveries waiting to be stored',
  description: 'By process. Usually near 0; otherwise PostgreSQL is slow.',
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
          title: 'Share refused',
          description: 'Share of all posts. A sudden increase often means that a secret was rotated on one side only.',
          unit: 'percentunit',
          queries: { refused: `${refusedTotal} / (${refusedTotal} + ${acceptedTotal})` },
          alerts: ['RelataDeliveriesRefused'],
          drawsAlerts: true,
        },
        {
          title: 'Share that the receiver fails to store',
          description:
            'Share of valid posts. If it rises, PostgreSQL is slow or unavailable. Senders try again; `in_doubt` posts may have been stored.',
          unit: 'percentunit',
          queries: { failing: `${failing} / (${failing} + ${acceptedTotal})` },
          alerts: ['RelataDeliveriesFailing'],
          drawsAlerts: true,
        },
        waitToBeStored,
        {
          title: 'Deliveries per commit',
          description:
            'Batches grow with the load and reduce its cost. At 100 the receiver has reached its limit: add replicas.',
          unit: 'short',
          queries: {
            average: average('webhook_batch_size', ''),
            p95: quantile(0.95, 'webhook_batch_size', ''),
          },
        },
        {
          title: 'Messages to the workers',
          description:
            'Messages with `false` were dropped because NATS was unavailable. A worker finds their runs in the database.',
          unit: 'ops',
          queries: { 'given to NATS: {{taken}}': sum('taken', rate('webhook_rings_total')) },
          alerts: ['RelataNatsAway'],
        },
      ],
    },
  ],
};
