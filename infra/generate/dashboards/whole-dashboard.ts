import { appNames } from '../../services.ts';
import { lastingOperations } from './app-dashboard.ts';
import { answersOfChat, demoRequests, fallbacks, firstToken } from './apps/chat-gateway.ts';
import { accepted, refusedPosts, waitToBeStored } from './apps/webhook-ingest.ts';
import { ended, failing, firstEffect, oldestDueRun, openRuns, queue } from './apps/workflow-worker.ts';
import { natsStorage } from './apps/worker-upkeep.ts';
import { busyStatements, connections, nats, waiting, waitingNow, waits, withoutNats } from './backend-panels.ts';
import type { Dashboard } from './dashboard.ts';
import type { Panel } from './panel.ts';
import { eventLoopLag, eventLoopNow, memory, processor, releases } from './process-panels.ts';
import { installation } from './promql.ts';
import { duration, failed, refused, requests, requestValues } from './request-panels.ts';
import { variablesOfWhole } from './variables.ts';

/** Targets that Prometheus finds by itself have no label of ours. */
const silent: Panel = {
  title: 'Silent',
  description: 'Processes that Prometheus knows of and that do not answer it.',
  unit: 'short',
  isValue: true,
  queries: { processes: `sum(1 - up{${installation}})` },
  alerts: ['RelataProcessDown'],
  limit: 1,
};

const firing: Panel = {
  title: 'Alerts that fire',
  description: 'Of relata.rules.yml, if this Prometheus has loaded it. docs/alerts.md says what to do about each.',
  unit: 'short',
  queries: {
    '{{alertname}} ({{severity}})':
      'count by (alertname, severity) (ALERTS{alertname=~"Relata.*",alertstate="firing"})',
  },
};

const replicas: Panel = {
  title: 'Processes by app',
  description: 'Those that Prometheus reads. A line that ends is an app that is gone.',
  unit: 'short',
  queries: { '{{app}}': 'count by (app) (relata_info{@})' },
  alerts: ['RelataProcessDown', 'RelataNoWorker'],
};

export const wholeDashboard: Dashboard = {
  uid: 'relata',
  title: 'Relata',
  description:
    'All apps on one page; a click on a line of an app leads to its own. Made from the code: npm run dashboards.',
  selection: `${installation},app=~"$app",instance=~"$instance"`,
  variables: variablesOfWhole(appNames),
  sections: [
    { title: 'Now', panels: [silent, ...requestValues(lastingOperations), waitingNow, eventLoopNow, withoutNats] },
    { title: 'Alerts and processes', panels: [firing, replicas, releases] },
    {
      title: 'Requests',
      panels: [
        requests('app'),
        failed('app'),
        refused('app'),
        duration(0.5, 'app', lastingOperations),
        duration(0.99, 'app', lastingOperations),
        eventLoopLag('app'),
      ],
    },
    {
      title: 'Webhooks and runs',
      panels: [accepted, refusedPosts, waitToBeStored, oldestDueRun, openRuns, queue, ended, failing, firstEffect],
    },
    { title: 'Chat', panels: [answersOfChat, firstToken, fallbacks, demoRequests] },
    {
      title: 'PostgreSQL and NATS',
      panels: [busyStatements, connections('app'), waiting('app'), waits('app'), nats('app'), natsStorage],
    },
    { title: 'Processes', panels: [processor('app'), memory('app')] },
  ],
};
