import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { services } from '../../services.ts';
import { objectsOf } from './app.ts';
import { ingress } from './ingress.ts';
import { migration } from './migration.ts';
import { podMonitor } from './monitors.ts';
import { denyAll } from './network.ts';
import { headOf, overlayOf } from './overlay.ts';
import { workerQueue } from './scaling.ts';
import { sizes } from './sizes.ts';

const madeFrom = '# Made from the code: npm run generate. Change it by an overlay of your own.\n';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function yamlOf(objects: readonly object[], head = ''): string {
  const options = { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false };
  return madeFrom + head + objects.map((object) => stringify(object, options)).join('---\n');
}

const kustomization = (resources: readonly string[]) => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources,
});

const component = (resources: readonly string[]) => ({
  apiVersion: 'kustomize.config.k8s.io/v1alpha1',
  kind: 'Component',
  resources,
});

function base(): Record<string, string> {
  const parts: Record<string, readonly object[]> = {
    ...Object.fromEntries(services.map((app) => [`${app.name}.yaml`, objectsOf(app, version)])),
    'migrate.yaml': migration(version),
    'ingress.yaml': [ingress()],
    'network.yaml': [denyAll()],
  };
  return filesIn('base', { 'kustomization.yaml': [kustomization(Object.keys(parts))], ...parts });
}

/** Returns the components that need the Prometheus operator or KEDA in the cluster. */
function components(): Record<string, string> {
  const parts = { 'pod-monitors': services.map(({ name }) => podMonitor(name)), 'worker-queue': workerQueue() };
  return Object.assign(
    {},
    ...Object.entries(parts).map(([name, objects]) =>
      filesIn(`components/${name}`, {
        'kustomization.yaml': [component([`${name}.yaml`])],
        [`${name}.yaml`]: objects,
      }),
    ),
  ) as Record<string, string>;
}

function overlays(): Record<string, string> {
  return Object.assign(
    {},
    ...sizes.map((size) => {
      const files = filesIn(`overlays/${size.name}`, overlayOf(size));
      const first = `infra/kubernetes/overlays/${size.name}/kustomization.yaml`;
      return { ...files, [first]: yamlOf(overlayOf(size)['kustomization.yaml']!, headOf(size)) };
    }),
  ) as Record<string, string>;
}

function filesIn(folder: string, files: Record<string, readonly object[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, objects]) => [`infra/kubernetes/${folder}/${name}`, yamlOf(objects)]),
  );
}

/** Generated files below infra/kubernetes, by path. They are made from the declarations of the services. */
export const kubernetesFiles: Readonly<Record<string, string>> = { ...base(), ...components(), ...overlays() };
