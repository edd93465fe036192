import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { appNames } from '../services.ts';
import { groupingLabels, labelsOfMetrics, metricNames } from './metric-names.ts';
import { expectPromtoolTo } from './promtool.harness.ts';

const file = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');
const rules = await file('relata.rules.yml');
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);

test('according to promtool, the rules are valid and each alert fires when it should', (context) => {
  expectPromtoolTo(context, 'check', 'rules', 'relata.rules.yml');
  expectPromtoolTo(context, 'test', 'rules', 'relata.rules.test.yml');
});

test('every alert has a test, and a line in docs/alerts.md that says what to do', async () => {
  const tested = await file('relata.rules.test.yml');
  const page = await file('../../docs/alerts.md');
  const described = [...page.matchAll(/^\| `(Relata\w+)` /gm)].map(([, name]) => name!);
  expect(alerts.length).toBeGreaterThan(10);
  expect(described).toEqual(expect.arrayContaining(alerts));
  expect(alerts).toEqual(expect.arrayContaining(described));
  expect(alerts.filter((name) => !tested.includes(`alertname: ${name}`))).toEqual([]);
});

test('an alert fires for each app that has no process', () => {
  const missing = [...rules.matchAll(/alert: RelataAppMissing\n +expr: absent\(relata_info\{app="(.*)"\}\)$/gm)];
  expect(missing.map(([, app]) => app)).toEqual(appNames);
});

test('in Compose, the Alertmanager of the README is reached by Prometheus, and reaches the outside', async () => {
  const page = await file('README.md');
  const [override, , added] = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, block]) => parse(block!));
  const { services, networks } = parse(await file('../compose/compose.yaml'), { merge: true });
  expect(networks.data.internal).toBe(true);
  expect(services.prometheus.networks).toEqual(['data']);
  expect(override.services.alertmanager).toMatchObject({ profiles: ['monitoring'], networks: ['front', 'data'] });
  expect(added.alerting.alertmanagers).toEqual([{ static_configs: [{ targets: ['alertmanager:9093'] }] }]);
});

test('the names of metrics are found in an expression, and nothing else is', () => {
  const expression =
    'sum by (app) (rate(a_total{status=~"5..|b_total"}[5m])) / count(count by (version) (c)) > 0.01 and absent(d{x="y"}) unless on (app) e';
  expect(metricNames(expression)).toEqual(['a_total', 'c', 'd', 'e']);
});

test('the labels of each metric in an expression are found: its selectors, and the labels of all groupings', () => {
  const expression = 'sum by (app, le) (rate(a_bucket{status=~"x=1|{y}",job!="z"}[5m])) / on (app) b{c="d"}';
  expect(groupingLabels(expression)).toEqual(['app', 'le']);
  expect(labelsOfMetrics(expression)).toEqual(
    new Map([
      ['a_bucket', new Set(['app', 'le', 'status', 'job'])],
      ['b', new Set(['app', 'le', 'c'])],
    ]),
  );
});
