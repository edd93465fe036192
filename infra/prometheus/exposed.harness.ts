import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { labelsOfMetrics } from './metric-names.ts';

/** Metrics with their labels. */
export type Exposed = ReadonlyMap<string, ReadonlySet<string>>;

/** Labels that Prometheus adds to scraped metrics. */
const added = ['job', 'instance', 'namespace'];
const ofPrometheus: Exposed = new Map([
  ['up', new Set(added)],
  ['ALERTS', new Set(['alertname', 'alertstate', 'severity'])],
]);

const root = join(import.meta.dirname, '../..');

/**
 * Returns the labels that the source declares for each metric. A metric that has counted nothing is exposed without
 * labels.
 */
export async function declaredLabels(): Promise<Exposed> {
  const files = await Array.fromAsync(glob('{packages,apps}/*/src/**/*.ts', { cwd: root }));
  const sources = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  const declared = sources.flatMap((source) => [...source.matchAll(/name: '(\w+)',[^{}]*?labelNames: \[([^\]]*)\]/g)]);
  return new Map(
    declared.map(([, name, labels]) => [name!, new Set([...labels!.matchAll(/'(\w+)'/g)].map(([, label]) => label!))]),
  );
}

/** Returns the metrics and labels that an app serves at /metrics. A histogram is three metrics. */
export function exposedIn(metrics: string, declared: Exposed): Map<string, Set<string>> {
  const exposed = new Map<string, Set<string>>();
  for (const [, name, type] of metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const labels = [...added, 'app', ...(declared.get(name!) ?? [])];
    if (type !== 'histogram') exposed.set(name!, new Set(labels));
    else for (const part of ['_bucket', '_sum', '_count']) exposed.set(name! + part, new Set(labels));
    if (type === 'histogram') exposed.get(`${name}_bucket`)!.add('le');
  }
  for (const [, name, labels] of metrics.matchAll(/^(\w+)\{(.*)\} /gm))
    for (const [, label] of labels!.matchAll(/(?:^|,)(\w+)="/g)) exposed.get(name!)?.add(label!);
  return exposed;
}

/** Joins the metrics of several apps. */
export function together(all: readonly Exposed[]): Exposed {
  const exposed = new Map<string, Set<string>>();
  for (const [name, labels] of all.flatMap((one) => [...one]))
    exposed.set(name, new Set([...(exposed.get(name) ?? []), ...labels]));
  return exposed;
}

/** Returns the metrics and labels that an expression uses but that no app has. */
export function missingIn(expression: string, exposed: Exposed): string[] {
  return [...labelsOfMetrics(expression)].flatMap(([name, labels]) => {
    const known = exposed.get(name) ?? ofPrometheus.get(name);
    if (!known) return [name];
    return [...labels].filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
  });
}
