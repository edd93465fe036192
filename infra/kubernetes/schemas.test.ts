import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sizes } from '../generate/kubernetes/sizes.ts';
import { render, type Tree } from './render.harness.ts';
import { schemaFaults } from './schemas.harness.ts';

const rendered = new Map(
  await Promise.all(
    sizes.map(async ({ name }) => [name, await render(join(import.meta.dirname, 'overlays', name))] as const),
  ),
);
const large = rendered.get('large')!;

test.each(sizes)('every object of $name conforms to the published schema of its kind', ({ name }) => {
  expect(rendered.get(name)!.flatMap(schemaFaults)).toEqual([]);
});

/** Changes, by kind, that Kubernetes, the Prometheus operator or KEDA would refuse. */
const faults: Record<string, (object: Tree) => void> = {
  Deployment: ({ spec }) => (spec.template.spec.terminationGracePeriodSeconds = '25'),
  HorizontalPodAutoscaler: ({ spec }) => delete spec.scaleTargetRef.name,
  Ingress: ({ spec }) => (spec.rules[0].http.paths[0].pathType = 1),
  Job: ({ spec }) => delete spec.template,
  NetworkPolicy: ({ spec }) => (spec.policyTypes = 'Ingress'),
  PodDisruptionBudget: ({ spec }) => (spec.unhealthyPodEvictionPolicy = 'Sometimes'),
  PodMonitor: ({ spec }) => (spec.podMetricsEndpoints[0].interval = 'half a minute'),
  ScaledObject: ({ spec }) => delete spec.triggers,
  Service: ({ spec }) => (spec.ports[0].port = 'http'),
  ServiceAccount: (object) => (object['automountServiceAccountToken'] = 'no'),
  TriggerAuthentication: ({ spec }) => (spec.secretTargetRef[0].key = 7),
};

test('there is a fault for every rendered kind', () => {
  expect([...new Set(large.map(({ kind }) => kind as unknown as string))].toSorted()).toEqual(Object.keys(faults));
});

test.each(Object.entries(faults))('the schema finds a fault in a %s', (kind, spoil) => {
  const object = structuredClone(large.find((each) => each['kind'] === kind)!);
  spoil(object);
  expect(schemaFaults(object)).toHaveLength(1);
});
