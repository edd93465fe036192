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
 * Returns the maximum number of connections. Each process can use its whole pool, and a rollout runs one additional
 * process of each app.
 */
export function connectionsOf({ replicas, settings }: Size): number {
  const processes = Object.values(replicas).reduce<number>((sum, each) => sum + mostOf(each) + 1, 0);
  return processes * Number(settings['DATABASE_POOL_MAX']) + connectionsKept;
}

export const sizes: readonly Size[] = [
  {
    name: 'small',
    reasons: [
      'For a few hundred requests and deliveries per second, on two small nodes. One process handles thousands of either',
      '(docs/benchmarks.md). A second process is for the loss of a node, and not for the load. There is no autoscaling, so',
      'the cluster needs no metrics server.',
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
      'For a few thousand requests and deliveries per second, on at least three nodes with four cores. One PostgreSQL with',
      'eight cores keeps up: a run costs it about 0.4 ms of CPU, a create less than 0.1 ms (docs/scaling.md). Replicas are',
      'scaled by their CPU time, which needs the metrics server. The number of workers is fixed; by these figures they',
      'execute some 4,000 runs per second.',
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
      'For more connections than PostgreSQL alone accepts: put PgBouncer in front of it (docs/operations.md). KEDA scales',
      'the workers by the number of due runs, and the Prometheus operator reads the metrics; the cluster needs both. Three',
      'NATS servers keep the stream of runs. PostgreSQL is the limit: workers beyond what its cores can serve add nothing.',
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
