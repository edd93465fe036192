import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Container, Probe, Service as KubernetesService, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { Service } from '@relata/service';
import { type AppName, entryIn } from '../../services.ts';
import { accessOf } from './network.ts';
import { image, labelsOf, podOf, selectorOf } from './pod.ts';
import { environmentOf, numberOf } from './settings.ts';

type App = Service & { name: AppName };

/** How long before the kubelet kills a process it has given itself up. */
const marginSeconds = 5;

/**
 * What an app may take. A process uses one processor, and is not held back from a second for what its threads do. Node
 * gives half of the memory to its heap, as in Compose. 500 answers of the chat were measured with 377 MB, and a process
 * takes 1,000.
 */
const usual = { cpu: '250m', memory: '256Mi', memoryMax: '512Mi' };
const own: Partial<Record<AppName, Partial<typeof usual>>> = {
  'chat-gateway': { memory: '384Mi', memoryMax: '1Gi' },
  console: { cpu: '100m' },
};

function resourcesOf(app: AppName): NonNullable<Container['resources']> {
  const { memoryMax, ...requests } = { ...usual, ...own[app] };
  return { requests, limits: { memory: memoryMax } };
}

/** Everything of an app that needs no other app. */
export function objectsOf(app: App, version: string): object[] {
  return [accountOf(app.name), deploymentOf(app, version), ...frontOf(app), budgetOf(app.name), accessOf(app)];
}

/** Of nobody's rights: no pod of ours talks to Kubernetes. */
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
    command: ['node', ...app.nodeOptions],
    args: [entryIn(app.name)],
    env: environmentOf(app),
    ports: [
      { name: 'http', containerPort: numberOf(app, 'PORT') },
      { name: 'metrics', containerPort: numberOf(app, 'METRICS_PORT') },
    ],
    resources: resourcesOf(app.name),
    // An app listens when it has reached the database, which may come up at the same time.
    startupProbe: { ...live, periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...live, periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: {
      httpGet: { path: '/health/ready', port: 'http' },
      // Longer than an app waits for the database before it says that it has none.
      timeoutSeconds: Math.ceil(numberOf(app, 'DATABASE_CONNECT_TIMEOUT_MS') / 1000) + 1,
      periodSeconds: 5,
      failureThreshold: 2,
    },
  };
}

/** Where requests come in; nothing for an app that serves none. */
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

/** One pod at a time leaves its node; one that is not ready may always. */
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
