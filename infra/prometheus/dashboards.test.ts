import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appNames } from '../services.ts';
import { filledIn, type GrafanaPanel, readDashboards, shownBy } from '../generate/dashboards/read-dashboards.ts';
import { groupingLabels, metricNames } from './metric-names.ts';
import { expectPromtoolTo } from './promtool.harness.ts';

const dashboards = readDashboards();
const uids = dashboards.map(({ uid }) => uid);
const panels = dashboards.flatMap((dashboard) => dashboard.panels);
const shown = dashboards.flatMap(shownBy);

test('each app has a dashboard, one dashboard shows all apps, and files are named by uid', () => {
  expect(uids.toSorted()).toEqual(['relata', ...appNames.map((name) => `relata-${name}`)].toSorted());
  expect(dashboards.map(({ file }) => file)).toEqual(uids);
});

test('every panel has a title, a description and a unit, and every section a title', () => {
  const named = ({ type, title, description, fieldConfig }: GrafanaPanel) =>
    title !== '' && (type === 'row' || (Boolean(description) && Boolean(fieldConfig?.defaults.unit)));
  expect(panels.length).toBeGreaterThan(100);
  expect(panels.filter((panel) => !named(panel))).toEqual([]);
});

test('no two panels of a dashboard share an id, a title or a position', () => {
  for (const { panels: own, title } of dashboards) {
    expect(new Set(own.map(({ id }) => id)).size, title).toBe(own.length);
    const titles = own.filter(({ type }) => type !== 'row').map((panel) => panel.title);
    expect(new Set(titles).size, title).toBe(titles.length);
    expect(own.filter((panel, at) => own.slice(at + 1).some((other) => overlap(panel, other)))).toEqual([]);
    expect(own.filter(({ gridPos: { x, w } }) => x < 0 || x + w > 24)).toEqual([]);
  }
});

const overlap = ({ gridPos: a }: GrafanaPanel, { gridPos: b }: GrafanaPanel) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

test('every dashboard queries the selected Prometheus, and uses only its own variables', () => {
  for (const dashboard of dashboards) {
    const asked = dashboard.panels.flatMap(({ datasource, targets = [] }) => [
      ...(datasource ? [datasource] : []),
      ...targets.map((target) => target.datasource),
    ]);
    expect(new Set(asked.map(({ uid }) => uid))).toEqual(new Set(['${datasource}']));
    const names = new Set(dashboard.templating.list.map(({ name }) => name));
    const used = JSON.stringify(dashboard).matchAll(/\$\{?(?!__)(\w+)/g);
    expect([...used].map(([, name]) => name!).filter((name) => !names.has(name))).toEqual([]);
  }
});

test('every dashboard links to all others, and the line of an app links to the dashboard of the app', () => {
  const uidIn = (url: string) => /^\/d\/([^?]+)\?/.exec(url)?.[1] ?? url;
  for (const { uid, links } of dashboards) {
    const others = uids.filter((other) => other !== uid);
    expect(links.map(({ url }) => uidIn(url)).toSorted()).toEqual(others.toSorted());
  }
  const fromLines = panels.flatMap(({ fieldConfig }) => fieldConfig?.defaults.links ?? []);
  expect(fromLines.length).toBeGreaterThan(5);
  expect(new Set(fromLines.map(({ url }) => uidIn(url)))).toEqual(new Set(['relata-${__field.labels.app}']));
});

test('names of lines use only labels that their expression keeps', () => {
  expect(shown.filter(({ named }) => named.length > 0).length).toBeGreaterThan(50);
  const wrong = shown.filter(({ expression, named }) =>
    named.some((label) => !groupingLabels(expression).includes(label)),
  );
  expect(wrong).toEqual([]);
});

test('every alert is named by a panel that shows its metrics', async () => {
  const rules = await readFile(join(import.meta.dirname, 'relata.rules.yml'), 'utf8');
  const alerts = [...rules.matchAll(/alert: (\w+)\n +expr: (.+)/g)].map(([, name, expr]) => ({
    name: name!,
    expr: expr!,
  }));
  const showing = ({ name, expr }: { name: string; expr: string }) =>
    panels.some(
      ({ description = '', targets = [] }) =>
        description.match(/\w+/g)?.includes(name) &&
        targets.some((target) => metricNames(target.expr).some((metric) => metricNames(expr).includes(metric))),
    );
  expect(alerts.length).toBeGreaterThan(10);
  expect(alerts.filter((alert) => !showing(alert)).map(({ name }) => name)).toEqual([]);
});

test('promtool can read every expression of a dashboard', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'relata-dashboards-'));
  context.onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rules.json');
  const rules = shown.map(({ expression }, at) => ({ record: `shown_${at}`, expr: filledIn(expression) }));
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify({ groups: [{ name: 'shown', rules }] }));
  expectPromtoolTo(context, 'check', 'rules', file);
});
