import { services } from '../../services.ts';
import { appDashboard } from './app-dashboard.ts';
import { dashboardFile } from './dashboard.ts';
import { wholeDashboard } from './whole-dashboard.ts';

const dashboards = [wholeDashboard, ...services.map(appDashboard)];

/** The dashboards of Grafana by file name: one for each app, and one for all of them. */
export const dashboardFiles: Readonly<Record<string, string>> = Object.fromEntries(
  dashboards.map((dashboard) => [
    `${dashboard.uid}.dashboard.json`,
    dashboardFile(
      dashboard,
      dashboards.filter((other) => other !== dashboard),
    ),
  ]),
);

const exampleName = `${wholeDashboard.uid}.dashboard.json`;

/** The only dashboard that is kept in the repository. `npm run dashboards` generates all dashboards. */
export const exampleDashboard = { [`infra/prometheus/${exampleName}`]: dashboardFiles[exampleName]! };
