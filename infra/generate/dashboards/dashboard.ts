import { placed } from './grid.ts';
import { grafanaPanel } from './grafana-panel.ts';
import type { Section } from './panel.ts';
import { addressOf } from './variables.ts';

/** A dashboard. It contains nothing specific to Grafana except variables. */
export interface Dashboard {
  /** Part of the dashboard's address in Grafana, so it must never change. */
  uid: string;
  title: string;
  description: string;
  /** Label matchers that replace `{@}` in expressions. */
  selection: string;
  variables: readonly object[];
  sections: readonly Section[];
}

/** The last version of the classic format, which can be imported unchanged. */
const schemaVersion = 42;

/** Returns the content of a dashboard's file to import, with links to the other dashboards. */
export function dashboardFile(dashboard: Dashboard, others: readonly Pick<Dashboard, 'uid' | 'title'>[]): string {
  const { uid, title, description, selection, variables, sections } = dashboard;
  const appLink = `${addressOf('relata-${__field.labels.app}')}&\${__url_time_range}`;
  const made = {
    uid,
    title,
    description,
    tags: ['relata'],
    schemaVersion,
    editable: true,
    // All panels show the crosshair at the same moment.
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: '',
    annotations: { list: [] },
    links: others.map(linkTo),
    templating: { list: variables },
    panels: placed(sections).map((panel, at) => grafanaPanel(panel, at + 1, { selection, appLink })),
  };
  return `${JSON.stringify(made, null, 2)}\n`;
}

function linkTo({ uid, title }: Pick<Dashboard, 'uid' | 'title'>): object {
  return {
    title,
    type: 'link',
    icon: 'dashboard',
    url: addressOf(uid),
    keepTime: true,
    includeVars: false,
    asDropdown: false,
    targetBlank: false,
    tags: [],
    tooltip: '',
  };
}
