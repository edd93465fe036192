import { spawnSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { migrationSettings, readSettings, type SettingsShape } from '@relata/runtime';
import { nodeOptions } from '@relata/service';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { kubernetesFiles } from '../generate/kubernetes/files.ts';
import { sizes } from '../generate/kubernetes/sizes.ts';
import { measuredMb } from '../generate/memory.ts';
import { appFor } from '../local/gateway/routes.ts';
import { type AppName, appNames, bundleIn, services } from '../services.ts';
import {
  containerOf,
  environmentOf,
  isSubset,
  labelsOf,
  named,
  namesOf,
  ofKind,
  podOf,
  workloads,
} from './objects.harness.ts';
import { keyOf, render, type Tree } from './render.harness.ts';
import { isSecret, shapeOf } from './settings.harness.ts';

const root = resolve(import.meta.dirname, '../..');
const rendered = new Map(
  await Promise.all(sizes.map(async ({ name }) => [name, await render(folderOf(name))] as const)),
);
const overlays = [...rendered].map(([name, objects]) => ({ name, objects }));
const kubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

function folderOf(size: string): string {
  return join(import.meta.dirname, 'overlays', size);
}

test('every YAML file below infra/kubernetes is generated', async () => {
  const files = await Array.fromAsync(glob('infra/kubernetes/**/*.yaml', { cwd: root }));
  expect(files.toSorted()).toEqual(Object.keys(kubernetesFiles).toSorted());
});

test.for(sizes)('the rendered objects of $name equal those of kubectl', ({ name }, context) => {
  context.skip(!kubectl, 'needs kubectl');
  const { stdout, stderr } = spawnSync('kubectl', ['kustomize', folderOf(name)], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const theirs = parseAllDocuments(stdout).map((document) => document.toJS() as Tree);
  const byKey = (objects: readonly Tree[]) => new Map(objects.map((object) => [keyOf(object), object]));
  expect(byKey(theirs)).toEqual(byKey(rendered.get(name)!));
});

test.each(overlays)('$name runs every app from its bundle with its flags, and the migration', ({ objects }) => {
  const deployments = ofKind(objects, 'Deployment');
  expect(namesOf(deployments).toSorted()).toEqual(appNames.toSorted());
  for (const { name } of services) {
    const { command, args } = containerOf(named(objects, 'Deployment', name));
    expect([command, args]).toEqual([['node', ...nodeOptions], [bundleIn(name)]]);
  }
  const [job] = ofKind(objects, 'Job');
  expect(containerOf(job!)['args']).toEqual([bundleIn('cli'), 'migrate']);
});

test.each(overlays)('no two objects of $name have the same kind and name', ({ objects }) => {
  expect(new Set(objects.map(keyOf)).size).toBe(objects.length);
});

test.each(overlays)('$name gives each app exactly the settings that it declares, with valid values', ({ objects }) => {
  for (const { name } of services) {
    const environment = environmentOf(named(objects, 'Deployment', name));
    expect(Object.keys(environment).toSorted()).toEqual(Object.keys(shapeOf(name)).toSorted());
    const given = Object.fromEntries(Object.entries(environment).map(([key, { value }]) => [key, value as string]));
    const settings = readSettings(shapeOf(name), { ...given, DATABASE_URL: 'postgres://relata_app@postgres/relata' });
    expect(settings).toMatchObject({ HOST: '0.0.0.0', NODE_ENV: 'production' });
  }
  const migration = environmentOf(ofKind(objects, 'Job')[0]!);
  expect(Object.keys(migration).toSorted()).toEqual(['DATABASE_URL', ...Object.keys(migrationSettings)].toSorted());
});

test.each(overlays)(
  '$name sets secrets only by reference, and only the migration gets the role that owns the database',
  ({ objects }) => {
    for (const workload of workloads(objects)) {
      const name = workload['metadata'].name as string;
      const shape = {
        ...migrationSettings,
        ...(name === 'relata-migrate' ? shapeOf('records-api') : shapeOf(name as AppName)),
      };
      const environment = environmentOf(workload);
      for (const [key, { value, valueFrom }] of Object.entries(environment)) {
        const owner = key === 'DATABASE_MIGRATION_URL' ? 'relata-owner' : 'relata';
        // Options of Node are not settings.
        const setting = (shape as SettingsShape)[key];
        const isHidden = setting !== undefined && isSecret(setting);
        const { name: secret, key: of } = valueFrom?.secretKeyRef ?? {};
        expect([key, value === undefined, secret, of]).toEqual(
          isHidden ? [key, true, owner, key] : [key, false, undefined, undefined],
        );
      }
      expect('DATABASE_MIGRATION_URL' in environment).toBe(name === 'relata-migrate');
      expect(environment['DATABASE_URL']!['valueFrom'].secretKeyRef.optional).toBeUndefined();
    }
  },
);

test.each(overlays)(
  'every selector of $name matches pods, and every Deployment selects only its own pods',
  ({ objects }) => {
    const pods = workloads(objects).map(labelsOf);
    for (const deployment of ofKind(objects, 'Deployment')) {
      const own = deployment['spec'].selector.matchLabels;
      expect(pods.filter((labels) => isSubset(own, labels))).toEqual([labelsOf(deployment)]);
    }
    const selectors = [
      ...ofKind(objects, 'Service').map(({ spec }) => spec.selector),
      ...ofKind(objects, 'PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind(objects, 'PodMonitor').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind(objects, 'NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ];
    expect(selectors.filter((selector) => !pods.some((labels) => isSubset(selector, labels)))).toEqual([]);
    const budgets = namesOf(ofKind(objects, 'PodDisruptionBudget'));
    expect(budgets.toSorted()).toEqual(appNames.toSorted());
  },
);

test.each(overlays)(
  'the containers of $name have the ports of their settings, and all other objects refer to these ports',
  ({ objects }) => {
    for (const name of appNames) {
      const deployment = named(objects, 'Deployment', name);
      const { PORT, METRICS_PORT } = environmentOf(deployment);
      expect(containerOf(deployment)['ports']).toEqual([
        { name: 'http', containerPort: Number(PORT!['value']) },
        { name: 'metrics', containerPort: Number(METRICS_PORT!['value']) },
      ]);
      const { startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
      for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) expect(httpGet.port).toBe('http');
    }
    for (const { spec } of ofKind(objects, 'Service'))
      expect(spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    for (const { spec } of ofKind(objects, 'PodMonitor'))
      expect(spec.podMetricsEndpoints).toMatchObject([{ port: 'metrics', path: '/metrics' }]);
  },
);

test('metrics that a PodMonitor reads have the job that the alerts use', async () => {
  const objects = rendered.get('large')!;
  const rules = await readFile(join(root, 'infra/prometheus/relata.rules.yml'), 'utf8');
  const jobs = new Set([...rules.matchAll(/job="(\w+)"/g)].map(([, job]) => job));
  const named = ofKind(objects, 'PodMonitor').map(({ spec }) => spec['jobLabel']);
  expect(named).toHaveLength(appNames.length);
  const found = ofKind(objects, 'Deployment').flatMap((deployment) =>
    named.map((label) => labelsOf(deployment)[label]),
  );
  expect(new Set(found)).toEqual(jobs);
});

test.each(overlays)(
  'every pod of $name is restricted, cannot write to its image, and has no account token',
  ({ objects }) => {
    const accounts = namesOf(ofKind(objects, 'ServiceAccount'));
    for (const workload of workloads(objects)) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(accounts).toContain(pod['serviceAccountName']);
      expect(Object.keys(pod).filter((key) => key.startsWith('host') || key === 'initContainers')).toEqual([]);
      expect(pod['volumes']).toEqual([{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }]);
      expect(pod['containers']).toHaveLength(1);
      expect(containerOf(workload)['securityContext']).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  },
);

test.each(overlays)('every image of $name has the exact version of this release as its tag', async ({ objects }) => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const images = new Set(workloads(objects).map((workload) => containerOf(workload)['image']));
  expect([...images]).toEqual([`relata:${version}`]);
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
});

const mebibytes = (text: string) => Number.parseInt(text, 10) * (text.endsWith('Gi') ? 1_024 : 1);

/** Returns the memory limits of the apps and of the migration in Compose, in MiB. */
async function composedMemory(): Promise<Record<string, number>> {
  const compose = parse(await readFile(join(root, 'infra/compose/compose.yaml'), 'utf8'), { merge: true }) as Tree;
  const { migrate, ...composed } = compose['services'] as Record<string, Tree>;
  const all = { ...composed, 'relata-migrate': migrate! };
  return Object.fromEntries(
    Object.entries(all).map(([name, { deploy }]) => [name, mebibytes(deploy?.resources.limits.memory ?? '0')]),
  );
}

test.each(overlays)(
  'every pod of $name has the memory limit of Compose, and requests no more than that',
  async ({ objects }) => {
    const composed = await composedMemory();
    for (const workload of workloads(objects)) {
      const { requests, limits } = containerOf(workload)['resources'];
      expect(requests.cpu).toMatch(/^\d+m$/);
      expect([workload['metadata'].name, mebibytes(limits.memory)]).toEqual([
        workload['metadata'].name,
        composed[workload['metadata'].name],
      ]);
      expect(mebibytes(requests.memory)).toBeLessThanOrEqual(mebibytes(limits.memory));
      // Node sizes its heap by the limit. A flag would have to be changed with every change of the limit.
      expect(containerOf(workload)['command'].join(' ')).not.toContain('max-old-space-size');
    }
  },
);

test.each(overlays)(
  'the chat of $name has enough memory, and half of it as heap, for the maximum number of open answers',
  ({ objects }) => {
    const chat = named(objects, 'Deployment', 'chat-gateway');
    const streams = Number(environmentOf(chat)['CHAT_STREAMS_MAX']!['value']);
    const memory = mebibytes(containerOf(chat)['resources'].limits.memory);
    expect(memory).toBeGreaterThanOrEqual(measuredMb.process + streams * measuredMb.answer);
    expect(memory / 2).toBeGreaterThanOrEqual(streams * measuredMb.answerHeap);
  },
);

test.each(overlays)('every app of $name ends by itself before it is killed', ({ objects }) => {
  for (const name of appNames) {
    const deployment = named(objects, 'Deployment', name);
    const { STOP_DRAIN_MS: drain, STOP_TIMEOUT_MS: timeout } = environmentOf(deployment);
    expect(podOf(deployment)['terminationGracePeriodSeconds'] * 1_000).toBeGreaterThan(Number(timeout!['value']));
    expect(Number(timeout!['value'])).toBeGreaterThan(Number(drain!['value']));
  }
  const chat = environmentOf(named(objects, 'Deployment', 'chat-gateway'));
  const msOf = (setting: string) => Number(chat[setting]!['value']);
  // The last write of an answer, and the shutdown after it, take at most 3 s of the timeout.
  expect(msOf('STOP_TIMEOUT_MS') - msOf('STOP_DRAIN_MS') - 3_000).toBeGreaterThanOrEqual(msOf('CHAT_DEADLINE_MS'));
  const worker = environmentOf(named(objects, 'Deployment', 'workflow-worker'));
  // Half of the timeout is for steps. An attempt of a step has 10 s.
  expect(Number(worker['STOP_TIMEOUT_MS']!['value']) / 2).toBeGreaterThanOrEqual(10_000);
});

test.each(overlays)('the Ingress of $name has the routes of the gateway, and accepts large bodies', ({ objects }) => {
  const [ingress] = ofKind(objects, 'Ingress');
  expect(ingress!['metadata'].annotations).toEqual({ 'nginx.ingress.kubernetes.io/proxy-body-size': '26m' });
  const [{ paths }] = ingress!['spec'].rules.map(({ http }: Tree) => http);
  for (const { backend, pathType } of paths as Tree[]) {
    const service = named(objects, 'Service', backend.service.name);
    expect([pathType, service['spec'].ports[0].name]).toEqual(['Prefix', backend.service.port.name]);
  }
  // Ingress compares whole segments, and the longest matching path wins.
  const lengthOf = ({ path }: Tree) => path.length as number;
  const leadsTo = (url: string) => {
    const isMatch = ({ path }: Tree) => `${url}/`.startsWith(path === '/' ? path : `${path.replace(/\/$/, '')}/`);
    return (paths as Tree[]).filter(isMatch).toSorted((a, b) => lengthOf(b) - lengthOf(a))[0]!['backend'].service.name;
  };
  const urls = [
    '/',
    '/v1/records/accounts',
    '/webhooks/x',
    '/WEBHOOKS/x',
    '/v1/genie/chat',
    '/docs',
    '/console',
    '/console/enter',
    '/consoles',
  ];
  expect(urls.map(leadsTo)).toEqual(urls.map(appFor));
});

test.each(overlays)('in $name, only apps without an autoscaler have a number of replicas', ({ name, objects }) => {
  const scalers = [...ofKind(objects, 'HorizontalPodAutoscaler'), ...ofKind(objects, 'ScaledObject')];
  const scaled = scalers.map(({ spec }) => spec.scaleTargetRef.name as string);
  expect(new Set(scaled).size).toBe(scaled.length);
  const counted = ofKind(objects, 'Deployment').filter(({ spec }) => 'replicas' in spec);
  expect([...scaled, ...namesOf(counted)].toSorted()).toEqual(appNames.toSorted());
  const { replicas } = sizes.find((size) => size.name === name)!;
  for (const { spec } of scalers) {
    const bounds = [spec.minReplicas ?? spec.minReplicaCount, spec.maxReplicas ?? spec.maxReplicaCount];
    expect(bounds).toEqual(replicas[spec.scaleTargetRef.name as AppName]);
  }
});

test('policies allow requests from proxies and metrics for Prometheus, but no requests to the worker', () => {
  for (const { objects } of overlays) {
    expect(named(objects, 'NetworkPolicy', 'relata')['spec']).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    for (const { name, prefix } of services) {
      const { ingress, egress } = named(objects, 'NetworkPolicy', name)['spec'];
      const ports = ingress.map(({ ports: [{ port }] }: Tree) => port);
      expect(ports).toEqual(prefix === undefined ? ['metrics'] : ['http', 'metrics']);
      expect(ingress.every(({ from }: Tree) => from.length === 1)).toBe(true);
      const isOutbound = egress.some(({ to }: Tree) => to !== undefined);
      expect(isOutbound).toBe(name === 'chat-gateway' || name === 'workflow-worker');
    }
  }
});
