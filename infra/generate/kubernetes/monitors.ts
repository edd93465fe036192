import type { IPodMonitor as PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { labelsOf, selectorOf } from './pod.ts';

/** Has the operator of Prometheus read an app's metrics, each pod by itself. */
export function podMonitor(name: string): PodMonitor {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      // The label's value is the job in the alerts, `relata`.
      jobLabel: 'app.kubernetes.io/part-of',
      selector: { matchLabels: selectorOf(name) },
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics', interval: '30s' }],
    },
  };
}
