import type { Panel } from './panel.ts';
import { quantile, rate, selected, sum } from './promql.ts';

const statements = 'database_statement_duration_seconds';

/** Lines are replicas of one app, or all apps. */
type By = 'instance' | 'app';

export const waitingNow: Panel = {
  title: 'Waiting',
  description: 'Requests that wait for a connection to PostgreSQL at this moment.',
  unit: 'short',
  isValue: true,
  queries: { waiting: sum('', selected('database_connections', 'state="waiting"')) },
  alerts: ['RelataDatabaseWaits'],
  drawsAlerts: true,
};

export const withoutNats: Panel = {
  title: 'Without NATS',
  description:
    'Processes that have no connection to NATS. Nothing is lost meanwhile; what others publish arrives late.',
  unit: 'short',
  isValue: true,
  queries: { processes: sum('', `1 - ${selected('nats_connected')}`) },
  alerts: ['RelataNatsAway'],
  limit: 1,
};

export function connections(by: By): Panel {
  return {
    title: 'Connections to PostgreSQL',
    description:
      'The distance between total and idle is what works. A total that stands at `DATABASE_POOL_MAX` has no reserve.',
    unit: 'short',
    queries: { [`{{${by}}} {{state}}`]: sum(`${by}, state`, selected('database_connections', 'state!="waiting"')) },
  };
}

export function waiting(by: By): Panel {
  return {
    title: 'Waiting for a connection',
    description:
      'More than a few for minutes: statements take long, or the pool is too small. The slowest statements are beside.',
    unit: 'short',
    queries: { [`{{${by}}}`]: sum(by, selected('database_connections', 'state="waiting"')) },
    alerts: ['RelataDatabaseWaits'],
    // The alert is on all replicas of an app together.
    ...(by === 'app' && { drawsAlerts: true }),
  };
}

export function waits(by: By): Panel {
  return {
    title: 'Waits for a connection',
    description:
      'Requests in a second that had to wait for their share of the connections. Short waits are usual under load.',
    unit: 'ops',
    queries: { [`{{${by}}}`]: sum(by, rate('database_waits_total')) },
    alerts: ['RelataDatabaseWaits'],
  };
}

export function nats(by: By): Panel {
  return {
    title: 'Connected to NATS',
    description: '1 while the connection stands. One process at 0 has a network of its own; all at 0: NATS is away.',
    unit: 'short',
    queries: { [`{{${by}}}`]: `min by (${by}) (${selected('nats_connected')})` },
    alerts: ['RelataNatsAway'],
  };
}

const most = (expression: string) => `topk(10, ${expression})`;

export const busyStatements: Panel = {
  title: 'Connections that statements keep busy',
  description:
    'Seconds of a statement in a second, of the ten that take most: what to make faster, or to ask less often.',
  unit: 'short',
  queries: { '{{statement}}': most(sum('statement', rate(`${statements}_sum`))) },
};

export const statementPanels: readonly Panel[] = [
  busyStatements,
  {
    title: 'p95 by statement',
    description:
      'The ten slowest, as the app sees them. One that rises alone has lost its index or its statistics; all: the server.',
    unit: 's',
    queries: { '{{statement}}': most(quantile(0.95, statements, 'statement')) },
  },
  {
    title: 'Statements',
    description: 'The ten most frequent. What grows faster than the requests is asked once for each row.',
    unit: 'ops',
    queries: { '{{statement}}': most(sum('statement', rate(`${statements}_count`))) },
  },
];
