import type { IScaledObject as ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { ITriggerAuthentication as TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import type { IHorizontalPodAutoscaler as HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { AppName } from '../../services.ts';
import { countDueRuns } from './backlog.sql.ts';
import { labelsOf } from './pod.ts';
import type { Size } from './sizes.ts';

const worker = 'workflow-worker' satisfies AppName;

/**
 * Returns autoscalers that follow the CPU time of an app's pods. A process uses at most one CPU. The target is lower,
 * so that there is a reserve while another pod starts. The target is absolute and not a share of the requested CPU, so
 * that an operator can change the request without changing the target.
 */
export function autoscalers({ replicas, components }: Size): HorizontalPodAutoscaler[] {
  return Object.entries(replicas).flatMap(([name, each]) => {
    if (typeof each === 'number' || (name === worker && components.includes('worker-queue'))) return [];
    const [minReplicas, maxReplicas] = each;
    return [
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name, labels: labelsOf(name) },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          minReplicas,
          maxReplicas,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '650m' } } },
          ],
          behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
        },
      },
    ];
  });
}

/** Number of due runs per worker that KEDA aims at. It is less than a second of work (docs/scaling.md). */
export const dueRunsPerWorker = 500;

/**
 * Secret with the address of PostgreSQL for KEDA, and KEDA's role. KEDA's operator connects from its own namespace, in
 * which the names and files of our `DATABASE_URL` do not exist. The address is split into parts, because some releases
 * of KEDA share a connection for the same host, user and database, and cannot read these from a URL.
 */
const queueSecretName = 'relata-keda';
const addressParts = ['host', 'port', 'userName', 'password', 'dbName', 'sslmode'];

/** Returns the objects with which KEDA scales workers by the number of due runs. */
export function workerQueue(): [TriggerAuthentication, ScaledObject] {
  const metadata = { name: worker, labels: labelsOf(worker) };
  return [
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'TriggerAuthentication',
      metadata,
      spec: { secretTargetRef: addressParts.map((part) => ({ parameter: part, name: queueSecretName, key: part })) },
    },
    {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: worker },
        minReplicaCount: 2,
        maxReplicaCount: 8,
        pollingInterval: 15,
        // More workers do not help while PostgreSQL does not answer, so after three failures their number no longer
        // changes.
        fallback: { failureThreshold: 3, replicas: 2, behavior: 'currentReplicas' },
        advanced: {
          horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 300 } } },
        },
        triggers: [
          {
            type: 'postgresql',
            metadata: { query: countDueRuns, targetQueryValue: String(dueRunsPerWorker) },
            authenticationRef: { name: worker },
          },
        ],
      },
    },
  ];
}

/** Returns the minimum and maximum number of workers of a size. Returns undefined if KEDA does not scale them. */
export function workerBounds({ replicas }: Size): object | undefined {
  const own = replicas[worker];
  if (typeof own === 'number') return undefined;
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name: worker },
    spec: { minReplicaCount: own[0], maxReplicaCount: own[1] },
  };
}
