import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '@relata/testing';
import { beforeAll, expect, test } from 'vitest';
import { metricNames } from './prometheus/metric-names.ts';
import { services } from './services.ts';
import { type StartedApp, startOnce } from './started-apps.harness.ts';

/** Each app is started once for all that is asked of it here. */
let apps: StartedApp[];

beforeAll(async () => {
  await using db = await createTestDatabase();
  apps = await Promise.all(services.map((service) => startOnce(service, db.url)));
}, 240_000);

test.each(services)('$name starts with all its other settings empty, and stops in order', ({ name }) => {
  const { ready, probed, ended, said } = apps.find((app) => app.name === name)!;
  expect(ready).toMatchObject({ type: 'ready', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect(probed).toEqual([200, 200, 200, 200]);
  expect(ended).toEqual([0, null]);
  expect(said).toContain('"stopped"');
});

/** What Prometheus adds by itself. */
const ofPrometheus = ['up'];

const expressionsIn = async (name: string, pattern: RegExp) => {
  const text = await readFile(join(import.meta.dirname, 'prometheus', name), 'utf8');
  return [...text.matchAll(pattern)].map(([, expression]) => expression!.replaceAll(String.raw`\"`, '"'));
};

/** The names of what an app serves at /metrics: a histogram has three. */
const exposedBy = ({ metrics }: StartedApp) =>
  [...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
  );

test('every metric that alerts and the dashboard name is exposed by an app', async () => {
  const exposed = new Set([...ofPrometheus, ...apps.flatMap(exposedBy)]);
  const alerting = await expressionsIn('relata.rules.yml', /^ {8}expr: (.+)$/gm);
  const shown = await expressionsIn('relata.dashboard.json', /"expr": "((?:[^"\\]|\\.)+)"/g);
  expect([alerting.length > 10, shown.length > 10]).toEqual([true, true]);
  const unknown = [...alerting, ...shown].flatMap(metricNames).filter((name) => !exposed.has(name));
  expect(unknown).toEqual([]);
});
