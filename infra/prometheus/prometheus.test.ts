import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { metricNames } from './metric-names.ts';

const file = (name: string) => readFile(join(import.meta.dirname, name), 'utf8');
const rules = await file('relata.rules.yml');
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name!);

/** Where `.ci/run` puts it if the machine has none. */
const fetched = join(import.meta.dirname, '../../.local/bin/promtool');
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const promtool = process.env['PROMTOOL_PATH'] ?? ['promtool', fetched].find(isThere) ?? 'promtool';
const missing = 'promtool was not found: Debian has it in the package prometheus, or name it in PROMTOOL_PATH';

test('promtool finds that each alert fires when it should', (context) => {
  const isRequired = process.env['RELATA_REQUIRE_PROMTOOL'] === '1';
  context.skip(!isRequired && !isThere(promtool), missing);
  expect(isThere(promtool), missing).toBe(true);
  for (const args of [
    ['check', 'rules', 'relata.rules.yml'],
    ['test', 'rules', 'relata.rules.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  }
});

test('every alert is tested, and has its line of what to do in docs/alerts.md', async () => {
  const tested = await file('relata.rules.test.yml');
  const page = await file('../../docs/alerts.md');
  const described = [...page.matchAll(/^\| `(Relata\w+)` /gm)].map(([, name]) => name!);
  expect(alerts.length).toBeGreaterThan(10);
  expect(described).toEqual(expect.arrayContaining(alerts));
  expect(alerts).toEqual(expect.arrayContaining(described));
  expect(alerts.filter((name) => !tested.includes(`alertname: ${name}`))).toEqual([]);
});

test('the names of metrics are found in an expression, and nothing else is', () => {
  const expression =
    'sum by (app) (rate(a_total{status=~"5..|b_total"}[5m])) / count(count by (version) (c)) > 0.01 and absent(d{x="y"}) unless on (app) e';
  expect(metricNames(expression)).toEqual(['a_total', 'c', 'd', 'e']);
});
