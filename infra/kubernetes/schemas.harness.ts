import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { Tree } from './render.harness.ts';

interface Published {
  apiVersion: string;
  kind: string;
  new (data: never): { validate(): void };
}

/** The published schema of each kind of object, by its version and name. */
const published = new Map(
  [
    Deployment,
    HorizontalPodAutoscaler,
    Ingress,
    Job,
    NetworkPolicy,
    PodDisruptionBudget,
    PodMonitor,
    ScaledObject,
    Service,
    ServiceAccount,
    TriggerAuthentication,
  ].map((model): [string, Published] => [`${model.apiVersion} ${model.kind}`, model as unknown as Published]),
);

/** Returns the errors of an object according to the published schema of its kind. */
export function schemaFaults(object: Tree): string[] {
  const kind = `${object['apiVersion']} ${object['kind']}`;
  const Model = published.get(kind);
  if (Model === undefined) return [`There is no schema for ${kind}.`];
  try {
    new Model(structuredClone(object) as never).validate();
    return [];
  } catch (error) {
    return [`${kind} ${object['metadata']?.name}: ${(error as Error).message}`];
  }
}
