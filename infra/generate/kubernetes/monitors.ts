import type { IPodMonitor as PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { labelsOf, selectorOf } from './pod.ts';

/** Returns the object that makes the operator of Prometheus scrape each pod of an app. */
export function podMonitor(name: string): PodMonitor {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      // Prometheus uses the value of this label, `relata`, as the job. The alerts select that job.
      jobLabel: 'app.kubernetes.io/part-of',
      selector: { matchLabels: selectorOf(name) },
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', interval: '30s' }],
    },
  };
}
