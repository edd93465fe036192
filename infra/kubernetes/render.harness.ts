import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object, or a part of one, as parsed from YAML. */
// oxlint-disable-next-line no-explicit-any
export type Tree = Record<string, any>;

/**
 * Renders a folder like `kubectl kustomize`, with the features that our kustomizations use. Throws if a folder uses
 * other features, or if a patch matches no object.
 */
export async function render(folder: string): Promise<Tree[]> {
  const kustomization = await documentsOf(join(folder, 'kustomization.yaml'));
  return renderInto([], folder, kustomization[0]!);
}

async function renderInto(objects: readonly Tree[], folder: string, kustomization: Tree): Promise<Tree[]> {
  const { apiVersion, kind, resources = [], components = [], patches = [], ...unknown } = kustomization;
  if (!`${apiVersion}`.startsWith('kustomize.config.k8s.io/') || Object.keys(unknown).length > 0)
    throw new Error(`${folder} uses unsupported features: ${Object.keys(unknown).join(', ') || `${kind}`}`);
  let all = [...objects];
  for (const resource of resources as string[]) {
    const path = join(folder, resource);
    all.push(...(resource.endsWith('.yaml') ? await documentsOf(path) : await render(path)));
  }
  for (const component of components as string[]) {
    const path = join(folder, component);
    all = await renderInto(all, path, (await documentsOf(join(path, 'kustomization.yaml')))[0]!);
  }
  for (const { path } of patches as { path: string }[])
    for (const patch of await documentsOf(join(folder, path))) all = patched(all, patch);
  return all;
}

async function documentsOf(file: string): Promise<Tree[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as Tree;
  });
}

export const keyOf = ({ apiVersion, kind, metadata }: Tree) => `${apiVersion} ${kind} ${metadata.name}`;

function patched(objects: readonly Tree[], patch: Tree): Tree[] {
  if (!objects.some((object) => keyOf(object) === keyOf(patch)))
    throw new Error(`There is no ${keyOf(patch)} to patch.`);
  return objects.map((object) => (keyOf(object) === keyOf(patch) ? (merged(object, patch) as Tree) : object));
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

const isNamed = (list: unknown): list is Tree[] =>
  Array.isArray(list) && list.every((item) => isTree(item) && 'name' in item);

/**
 * Merges a patch into a value. Lists of objects with names are merged by name, like containers and variables in
 * Kubernetes. Values of the patch come first, as in kustomize.
 */
function merged(present: unknown, patch: unknown): unknown {
  if (isTree(present) && isTree(patch)) {
    const changes = Object.entries(patch).map(([key, value]) => [
      key,
      key in present ? merged(present[key], value) : value,
    ]);
    return { ...present, ...Object.fromEntries(changes) };
  }
  if (!isNamed(present) || !isNamed(patch)) return patch;
  const byName = new Map(present.map((item) => [item['name'], item]));
  const changed = patch.map((item) => merged(byName.get(item['name']) ?? {}, item));
  const names = new Set(patch.map((item) => item['name']));
  return [...changed, ...present.filter((item) => !names.has(item['name']))];
}
