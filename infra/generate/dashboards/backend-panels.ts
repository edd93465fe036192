import type { Panel } from './panel.ts';
import { quantile, rate, selected, sum } from './promql.ts';

const statements = 'database_statement_duration_seconds';

/** Lines of a panel: the replicas of one app, or all apps. */
type By = 'instance' | 'app';

export const waitingNow: Panel = {
  title: 'Waiting',
  description: 'Requests now waiting for a connection to PostgreSQL.',
  unit: 'short',
  isValue: true,
  queries: { waiting: sum('', selected('database_connections', 'state="waiting"')) },
  alerts: ['RelataDatabaseWaits'],
  drawsAlerts: true,
};

export const withoutNats: Panel = {
  title: 'Without NATS',
  description: 'Processes without a connection to NATS. Nothing is lost; changes by other processes arrive late.',
  unit: 'short',
  isValue: true,
  queries: { processes: sum('', `1 - ${selected('nats_connected')}`) },
  alerts: ['RelataNatsAway'],
  limit: 1,
};

export function connections(by: By): Panel {
  return {
    title: 'Connections to PostgreSQL',
    description: 'Total minus idle is in use. A total that stays at `DATABASE_POOL_MAX` leaves no reserve.',
    unit: 'short',
    queries: { [`{{${by}}} {{state}}`]: sum(`${by}, state`, selected('database_connections', 'state!="waiting"')) },
  };
}

export function waiting(by: By): Panel {
  return {
    title: 'Waiting for a connection',
    description: 'If more than a few wait for minutes, statements are slow or the pool is too small.',
    unit: 'short',
    queries: { [`{{${by}}}`]: sum(by, selected('database_connections', 'state="waiting"')) },
    alerts: ['RelataDatabaseWaits'],
    // The alert combines all replicas of an app.
    ...(by === 'app' && { drawsAlerts: true }),
  };
}

export function waits(by: By): Panel {
  return {
    title: 'Waits for a connection',
    description:
      'Statements and transactions per second that had to wait for their share of the connections. Short waits are normal under load.',
    unit: 'ops',
    queries: { [`{{${by}}}`]: sum(by, rate('database_waits_total')) },
    alerts: ['RelataDatabaseWaits'],
  };
}

export function nats(by: By): Panel {
  return {
    title: 'Connected to NATS',
    description: '1 while connected. If one process is at 0, check its network; if all are, NATS is unavailable.',
    unit: 'short',
    queries: { [`{{${by}}}`]: `min by (${by}) (${selected('nats_connected')})` },
    alerts: ['RelataNatsAway'],
  };
}

const most = (expression: string) => `topk(10, ${expression})`;

export const busyStatements: Panel = {
  title: 'Connections in use by statement',
  description:
    'Seconds per second of the ten statements that take the most time: make them faster, or run them less often.',
  unit: 'short',
  queries: { '{{statement}}': most(sum('statement', rate(`${statements}_sum`))) },
};

export const statementPanels: readonly Panel[] = [
  busyStatements,
  {
    title: 'p95 by statement',
    description:
      'The ten slowest, measured by the app. If one rises, check its index and statistics; if all rise, check the server.',
    unit: 's',
    queries: { '{{statement}}': most(quantile(0.95, statements, 'statement')) },
  },
  {
    title: 'Statements',
    description: 'The ten most frequent per second. If one grows faster than the requests, it may run once per row.',
    unit: 'ops',
    queries: { '{{statement}}': most(sum('statement', rate(`${statements}_count`))) },
  },
];
