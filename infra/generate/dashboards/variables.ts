import { datasource } from './grafana-panel.ts';
import { installation } from './promql.ts';

/** Settings of a variable that may have several values. By default all are selected. */
const several = { hide: 0, includeAll: true, multi: true, current: { text: ['All'], value: ['$__all'] }, options: [] };

/** The choice among the Prometheus data sources of Grafana. */
const prometheus = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
  regex: '',
  refresh: 1,
  hide: 0,
  includeAll: false,
  multi: false,
  options: [],
};

/**
 * Returns a variable with the values of a label. Give `allValue` if some processes may lack the label, or if there are
 * too many values to list.
 */
function ofLabel(label: string, title: string, { where = '', allValue }: { where?: string; allValue?: string } = {}) {
  const query = `label_values(relata_info${where && `{${where}}`}, ${label})`;
  return {
    name: label,
    label: title,
    type: 'query',
    datasource,
    definition: query,
    // `qryType` 1 is a query for the values of a label, and `refId` is the name that Grafana gives such a query.
    query: { qryType: 1, query, refId: 'PrometheusVariableQueryEditor-VariableQuery' },
    regex: '',
    // Updated when the displayed time range changes.
    refresh: 2,
    sort: 1,
    ...several,
    ...(allValue !== undefined && { allValue }),
  };
}

function ofList(name: string, title: string, values: readonly string[]) {
  return { name, label: title, type: 'custom', query: values.join(','), ...several };
}

/** Variables of every dashboard. Links between dashboards keep their values. */
const shared = [
  prometheus,
  ofLabel('job', 'Job'),
  // The label does not exist outside of Kubernetes.
  ofLabel('namespace', 'Namespace', { where: 'job=~"$job"', allValue: '.*' }),
];

const instance = (where: string) => ofLabel('instance', 'Instance', { where, allValue: '.*' });

export function variablesOfApp(app: string): object[] {
  return [...shared, instance(`${installation},app="${app}"`)];
}

export function variablesOfWhole(apps: readonly string[]): object[] {
  return [...shared, ofList('app', 'App', apps), instance(`${installation},app=~"$app"`)];
}

/**
 * Returns the address of another dashboard, with the current values of the variables that both have. Links of panels
 * add the time.
 */
export function addressOf(uid: string): string {
  return `/d/${uid}?${shared.map(({ name }) => `\${${name}:queryparam}`).join('&')}`;
}
