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

const listing = (kind: string, version: string, resources: readonly string[]) => ({
  apiVersion: `kustomize.config.k8s.io/${version}`,
  kind,
  resources,
});

function base(): Record<string, string> {
  const parts: Record<string, readonly object[]> = {
    ...Object.fromEntries(services.map((app) => [`${app.name}.yaml`, objectsOf(app, version)])),
    'migrate.yaml': migration(version),
    'ingress.yaml': [ingress()],
    'network.yaml': [denyAll()],
  };
  return filesIn('base', { 'kustomization.yaml': [listing('Kustomization', 'v1beta1', Object.keys(parts))], ...parts });
}

/** Returns the components that need the Prometheus operator or KEDA in the cluster. */
function components(): Record<string, string> {
  const parts = { 'pod-monitors': services.map(({ name }) => podMonitor(name)), 'worker-queue': workerQueue() };
  const files = Object.entries(parts).map(([name, objects]) =>
    filesIn(`components/${name}`, {
      'kustomization.yaml': [listing('Component', 'v1alpha1', [`${name}.yaml`])],
      [`${name}.yaml`]: objects,
    }),
  );
  return Object.assign({}, ...files) as Record<string, string>;
}

function overlays(): Record<string, string> {
  const files = sizes.map((size) => filesIn(`overlays/${size.name}`, overlayOf(size), headOf(size)));
  return Object.assign({}, ...files) as Record<string, string>;
}

/** Returns the text of each file in a folder. The kustomization begins with the comment `head`. */
function filesIn(folder: string, files: Record<string, readonly object[]>, head = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, objects]) => [
      `infra/kubernetes/${folder}/${name}`,
      yamlOf(objects, name === 'kustomization.yaml' ? head : ''),
    ]),
  );
}

/** Generated files below infra/kubernetes, by path. They are made from the declarations of the services. */
export const kubernetesFiles: Readonly<Record<string, string>> = { ...base(), ...components(), ...overlays() };
