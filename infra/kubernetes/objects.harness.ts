import type { Tree } from './render.harness.ts';

export const ofKind = (objects: readonly Tree[], kind: string) => objects.filter((object) => object['kind'] === kind);
export const namesOf = (objects: readonly Tree[]): string[] => objects.map(({ metadata }) => metadata.name);
export const named = (objects: readonly Tree[], kind: string, name: string): Tree =>
  ofKind(objects, kind).find(({ metadata }) => metadata.name === name)!;
/** Returns the Deployments and the Job of the migration, which all have pods. */
export const workloads = (objects: readonly Tree[]) => [...ofKind(objects, 'Deployment'), ...ofKind(objects, 'Job')];
export const podOf = ({ spec }: Tree): Tree => spec.template.spec;
export const containerOf = (workload: Tree): Tree => podOf(workload)['containers'][0];
export const labelsOf = ({ spec }: Tree): Tree => spec.template.metadata.labels;
export const isSubset = (selector: Tree, labels: Tree) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);
export const environmentOf = (workload: Tree): Record<string, Tree> =>
  Object.fromEntries(containerOf(workload)['env'].map((entry: Tree) => [entry['name'], entry]));
