import { services } from '../../services.ts';
import { appDashboard } from './app-dashboard.ts';
import { dashboardFile } from './dashboard.ts';
import { wholeDashboard } from './whole-dashboard.ts';

const dashboards = [wholeDashboard, ...services.map(appDashboard)];

/** The dashboards of Grafana: one for each app, and one for all of them. */
export const dashboardFiles = Object.fromEntries(
  dashboards.map((dashboard) => [
    `infra/prometheus/${dashboard.uid}.dashboard.json`,
    dashboardFile(
      dashboard,
      dashboards.filter((other) => other !== dashboard),
    ),
  ]),
);
