import type { IDeployment as Deployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IContainer as Container } from 'kubernetes-models/v1/Container';
import type { IProbe as Probe } from 'kubernetes-models/v1/Probe';
import type { IService as KubernetesService } from 'kubernetes-models/v1/Service';
import type { IServiceAccount as ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { IPodDisruptionBudget as PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { nodeOptions, type Service } from '@relata/service';
import { type AppName, bundleIn } from '../../services.ts';
import { memoryMbOf } from '../memory.ts';
import { accessOf } from './network.ts';
import { image, labelsOf, podOf, selectorOf } from './pod.ts';
import { environmentOf, numberOf } from './settings.ts';

type App = Service & { name: AppName };

/** Seconds between the stop timeout of a process and the kill by the kubelet. */
const marginSeconds = 5;

/**
 * Requested resources of an app. The memory limit is the same as in Compose. An app uses one core, so it needs no CPU
 * limit.
 */
const usual = { cpu: '250m', memory: '256Mi' };
const own: Partial<Record<AppName, Partial<typeof usual>>> = {
  'chat-gateway': { memory: '384Mi' },
  console: { cpu: '100m' },
};

function resourcesOf(app: AppName): NonNullable<Container['resources']> {
  return { requests: { ...usual, ...own[app] }, limits: { memory: `${memoryMbOf(app)}Mi` } };
}

/** Returns the objects of an app that do not depend on other apps. */
export function objectsOf(app: App, version: string): object[] {
  return [accountOf(app.name), deploymentOf(app, version), ...frontOf(app), budgetOf(app.name), accessOf(app)];
}

/** Returns an account without permissions, because Relata's pods do not use the Kubernetes API. */
export function accountOf(name: string): ServiceAccount {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, labels: labelsOf(name) },
    automountServiceAccountToken: false,
  };
}

function deploymentOf(app: App, version: string): Deployment {
  const { name } = app;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      selector: { matchLabels: selectorOf(name) },
      revisionHistoryLimit: 3,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: podOf(name, containerOf(app, version), {
        terminationGracePeriodSeconds: Math.ceil(numberOf(app, 'STOP_TIMEOUT_MS') / 1000) + marginSeconds,
        topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
          topologyKey,
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway' as const,
          labelSelector: { matchLabels: selectorOf(name) },
        })),
      }),
    },
  };
}

function containerOf(app: App, version: string): Omit<Container, 'name'> {
  const live = { httpGet: { path: '/health/live', port: 'http' }, timeoutSeconds: 3 } satisfies Probe;
  return {
    image: image(version),
    command: ['node', ...nodeOptions],
    args: [bundleIn(app.name)],
    env: environmentOf(app),
    ports: [
      { name: 'http', containerPort: numberOf(app, 'PORT') },
      { name: 'metrics', containerPort: numberOf(app, 'METRICS_PORT') },
    ],
    resources: resourcesOf(app.name),
    // An app listens only after it has reached the database, which may be starting at the same time.
    startupProbe: { ...live, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...live, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: {
      httpGet: { path: '/health/ready', port: 'http' },
      // An app waits for a database connection before it reports that it is not ready. The probe must wait longer.
      timeoutSeconds: Math.ceil(numberOf(app, 'DATABASE_CONNECT_TIMEOUT_MS') / 1000) + 1,
      periodSeconds: 5,
      failureThreshold: 2,
    },
  };
}

/** Returns the Service of an app, or nothing if the app serves no requests. */
function frontOf({ name, prefix }: App): KubernetesService[] {
  if (prefix === undefined) return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels: labelsOf(name) },
      spec: { selector: selectorOf(name), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  ];
}

/** Returns a budget that lets one pod at a time be evicted. A pod that is not ready can always be evicted. */
function budgetOf(name: string): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selectorOf(name) },
    },
  };
}
