import { alertSentence, type Threshold, thresholdsOf } from './alerts.ts';
import type { Placed } from './grid.ts';
import type { Panel } from './panel.ts';
import { select } from './promql.ts';

/** The Prometheus that is selected at the top of a dashboard. */
export const datasource = { type: 'prometheus', uid: '${datasource}' };

export interface PanelContext {
  /** Label matchers that replace `{@}` in expressions. */
  selection: string;
  /** Address that a click on the line of an app opens. */
  appLink: string;
}

/** Returns a panel, or the title of a section, in Grafana's format. */
export function grafanaPanel(placed: Placed, id: number, context: PanelContext): object {
  const { gridPos } = placed;
  if ('section' in placed) return { id, type: 'row', title: placed.section, collapsed: false, gridPos, panels: [] };
  const { panel } = placed;
  return {
    id,
    type: panel.isValue ? 'stat' : 'timeseries',
    title: panel.title,
    description: [panel.description, ...(panel.alerts ? [alertSentence(panel.alerts)] : [])].join(' '),
    datasource,
    gridPos,
    fieldConfig: { defaults: { ...fieldsOf(panel), ...linksOf(panel, context) }, overrides: [] },
    options: panel.isValue ? valueOptions : lineOptions(panel),
    targets: targetsOf(panel, context),
  };
}

function targetsOf({ queries }: Panel, { selection }: PanelContext): object[] {
  return Object.entries(queries).map(([legendFormat, expression], at) => ({
    refId: String.fromCodePoint(65 + at),
    datasource,
    editorMode: 'code',
    expr: select(expression, selection),
    legendFormat,
    range: true,
  }));
}

function fieldsOf(panel: Panel): object {
  const { unit, isValue } = panel;
  const steps: Threshold[] = [{ color: 'green', value: null }, ...thresholdsOfPanel(panel)];
  const thresholds = { mode: 'absolute', steps };
  if (isValue) return { unit, min: 0, color: { mode: 'thresholds' }, thresholds, mappings: [nothingYet] };
  const thresholdsStyle = { mode: steps.length > 1 ? 'dashed' : 'off' };
  const custom = { drawStyle: 'line', lineWidth: 1, fillOpacity: 10, showPoints: 'never', thresholdsStyle };
  return { unit, min: 0, color: { mode: 'palette-classic' }, custom, thresholds };
}

/** Shows a dash if there were no requests, because shares and quantiles are then not numbers. */
const nothingYet = { type: 'special', options: { match: 'null+nan', result: { index: 0, text: '-' } } };

function thresholdsOfPanel({ alerts = [], drawsAlerts, limit }: Panel): Threshold[] {
  return [
    ...(drawsAlerts ? alerts.flatMap(thresholdsOf) : []),
    ...(limit === undefined ? [] : [{ color: 'red', value: limit }]),
  ].toSorted((a, b) => a.value! - b.value!);
}

/** Returns links from the lines of apps to their dashboards. */
function linksOf({ queries }: Panel, { appLink }: PanelContext): object {
  const isOfApps = Object.keys(queries).every((legend) => legend.includes('{{app}}'));
  return isOfApps ? { links: [{ title: 'Dashboard of ${__field.labels.app}', url: appLink }] } : {};
}

const valueOptions = {
  colorMode: 'value',
  graphMode: 'area',
  justifyMode: 'auto',
  orientation: 'auto',
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  textMode: 'value',
};

/** Matches labels with many values. A panel with such a label lists its lines in a table, the highest first. */
const manyValued = /\{\{(operation|statement|instance|use|alertname)\}\}/;

function lineOptions({ queries }: Panel): object {
  const isLong = Object.keys(queries).some((legend) => manyValued.test(legend));
  return {
    legend: {
      displayMode: isLong ? 'table' : 'list',
      placement: 'bottom',
      showLegend: true,
      calcs: isLong ? ['mean', 'max'] : [],
      ...(isLong && { sortBy: 'Max', sortDesc: true }),
    },
    tooltip: { mode: 'multi', sort: 'desc' },
  };
}
