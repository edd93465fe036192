import type { AppName } from '../../services.ts';

/** Minimum and maximum number of replicas; a single number for a fixed count. */
type Replicas = number | readonly [least: number, most: number];

export interface Size {
  name: string;
  /** Reason for this size, shown at the head of the overlay. */
  reasons: readonly string[];
  replicas: Record<AppName, Replicas>;
  /** Settings that differ from those of the base, by app or for all that declare them. */
  settings: Record<string, string>;
  /** CPU request of one pod, if it differs from the base. */
  cpuRequest: string;
  /** Connections that PostgreSQL, or PgBouncer before it, must accept. */
  connectionsMax: number;
  components: readonly string[];
}

/**
 * Connections that the apps leave free: PostgreSQL reserves three, and the migration and the operator's tools need
 * some.
 */
const connectionsKept = 10;

/** Returns the maximum number that an autoscaler may start, or the fixed number. */
const mostOf = (replicas: Replicas) => (typeof replicas === 'number' ? replicas : replicas[1]);

/**
 * Returns the maximum number of connections. Every process may hold its whole pool, and a rollout runs one more of each
 * app.
 */
export function connectionsOf({ replicas, settings }: Size): number {
  const processes = Object.values(replicas).reduce<number>((sum, each) => sum + mostOf(each) + 1, 0);
  return processes * Number(settings['DATABASE_POOL_MAX']) + connectionsKept;
}

export const sizes: readonly Size[] = [
  {
    name: 'small',
    reasons: [
      'For some hundred requests and deliveries a second, on two small nodes. A process alone does thousands of either',
      '(docs/benchmarks.md): a second one of what others wait for is there for the loss of a node, and not for the load.',
      'Nothing is scaled by itself, so the cluster needs no metrics server.',
    ],
    replicas: { 'records-api': 2, 'chat-gateway': 1, console: 1, 'webhook-ingest': 2, 'workflow-worker': 2 },
    settings: { DATABASE_POOL_MAX: '8' },
    cpuRequest: '100m',
    connectionsMax: 150,
    components: [],
  },
  {
    name: 'medium',
    reasons: [
      'For some thousand requests and deliveries a second, on three nodes or more with four processors. One PostgreSQL of',
      'eight processors keeps up with it: a run costs it about 0.4 ms, a create less than 0.1 ms (docs/scaling.md).',
      'Replicas follow the processor time that they use, which needs the metrics server. Workers are a fixed number, which',
      'does some 4,000 runs a second by these figures.',
    ],
    replicas: {
      'records-api': [2, 6],
      'chat-gateway': [2, 4],
      console: 2,
      'webhook-ingest': [2, 6],
      'workflow-worker': 3,
    },
    settings: { DATABASE_POOL_MAX: '12' },
    cpuRequest: '500m',
    connectionsMax: 400,
    components: [],
  },
  {
    name: 'large',
    reasons: [
      'For more than one PostgreSQL connects by itself: put PgBouncer in between (docs/operations.md). Workers follow the',
      'runs that are due, by KEDA, and the Prometheus operator reads the metrics; the cluster needs both. Three servers of',
      'NATS keep the stream of runs. PostgreSQL is what ends first: more workers than its processors can serve add nothing.',
    ],
    replicas: {
      'records-api': [4, 20],
      'chat-gateway': [3, 12],
      console: 3,
      'webhook-ingest': [4, 16],
      'workflow-worker': [4, 24],
    },
    settings: { DATABASE_POOL_MAX: '16', NATS_STREAM_REPLICAS: '3', WORKER_CONCURRENCY: '32' },
    cpuRequest: '800m',
    connectionsMax: 1_500,
    components: ['pod-monitors', 'worker-queue'],
  },
];
