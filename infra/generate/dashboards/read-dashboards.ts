import { basename } from 'node:path';
import { appNames } from '../../services.ts';
import { dashboardFiles } from './files.ts';

export interface GrafanaPanel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit: string; links?: { url: string }[] } };
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[];
}

interface GrafanaDashboard {
  /** Name of its file, without the extension. */
  file: string;
  uid: string;
  title: string;
  links: { title: string; url: string }[];
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: GrafanaPanel[];
}

const ending = '.dashboard.json';

export function readDashboards(): GrafanaDashboard[] {
  return Object.entries(dashboardFiles).map(([name, text]) => ({
    ...(JSON.parse(text) as GrafanaDashboard),
    file: basename(name, ending),
  }));
}

interface Shown {
  expression: string;
  /** Labels that appear in the names of its lines. */
  named: string[];
}

/** Returns everything that a dashboard requests from Prometheus. */
export function shownBy({ panels, templating }: GrafanaDashboard): Shown[] {
  const queries = panels.flatMap(({ targets = [] }) => targets);
  const variables = templating.list.flatMap(({ definition }) => (definition === undefined ? [] : [definition]));
  return [
    ...queries.map(({ expr, legendFormat }) => ({
      expression: expr,
      named: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    })),
    ...variables.map((definition) => ({ expression: valuesOf(definition), named: [] })),
  ];
}

/** Returns the PromQL for the values of a label that a variable offers. */
function valuesOf(definition: string): string {
  const [, metric, label] = /^label_values\((.+), (\w+)\)$/.exec(definition)!;
  return `count by (${label}) (${metric})`;
}

/** Replaces the variables of an expression by all their values, as Grafana does by default. */
export function filledIn(expression: string): string {
  const chosen = { job: 'relata', namespace: '.*', app: appNames.join('|'), instance: '.*', __rate_interval: '1m' };
  return Object.entries(chosen).reduce((text, [name, value]) => text.replaceAll(`$${name}`, value), expression);
}
