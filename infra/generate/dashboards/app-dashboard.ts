import type { Service } from '@relata/service';
import type { AppName } from '../../services.ts';
import { memoryMbOf } from '../memory.ts';
import { chatGateway } from './apps/chat-gateway.ts';
import { consolePanels } from './apps/console.ts';
import type { OwnPanels } from './apps/own-panels.ts';
import { recordsApi } from './apps/records-api.ts';
import { webhookIngest } from './apps/webhook-ingest.ts';
import { workflowWorker } from './apps/workflow-worker.ts';
import { connections, nats, statementPanels, waiting, waitingNow, waits, withoutNats } from './backend-panels.ts';
import type { Dashboard } from './dashboard.ts';
import type { Section } from './panel.ts';
import { eventLoopLag, eventLoopNow, memory, processes, processor, processPanels, releases } from './process-panels.ts';
import { installation } from './promql.ts';
import { answers, duration, failed, refused, requests, requestValues } from './request-panels.ts';
import { variablesOfApp } from './variables.ts';

/** Without an entry of its own an app does not compile. */
const own: Record<AppName, OwnPanels> = {
  'records-api': recordsApi,
  'chat-gateway': chatGateway,
  console: consolePanels,
  'webhook-ingest': webhookIngest,
  'workflow-worker': workflowWorker,
};

/** Operations of all apps that last as long as their callers want. */
export const lastingOperations = Object.values(own).flatMap(({ lasting = [] }) => lasting);

export function appDashboard(app: Service & { name: AppName }): Dashboard {
  const { name } = app;
  return {
    uid: `relata-${name}`,
    title: `Relata: ${name}`,
    description: `What the processes of ${name} do. Made from the code: npm run dashboards.`,
    selection: `app="${name}",${installation},instance=~"$instance"`,
    variables: variablesOfApp(name),
    sections: sectionsOf(app),
  };
}

/** Returns the sections of an app; one that serves no requests has no panels of them. */
function sectionsOf({ name, prefix }: Service & { name: AppName }): Section[] {
  const { lasting = [], slow, sections } = own[name];
  const isAsked = prefix !== undefined;
  return [
    {
      title: 'Now',
      panels: [processes, ...(isAsked ? requestValues(lasting, slow) : []), waitingNow, eventLoopNow, withoutNats],
    },
    ...sections,
    ...(isAsked ? [requestSection(lasting)] : []),
    {
      title: 'PostgreSQL and NATS',
      panels: [...statementPanels, connections('instance'), waiting('instance'), waits('instance'), nats('instance')],
    },
    {
      title: 'Processes',
      panels: [
        eventLoopLag('instance'),
        processor('instance'),
        memory('instance', memoryMbOf(name)),
        ...processPanels,
        releases,
      ],
    },
  ];
}

function requestSection(lasting: readonly string[]): Section {
  const durations = [0.5, 0.95, 0.99].map((part) => duration(part, 'operation', lasting));
  return {
    title: 'Requests',
    panels: [requests('operation'), answers, failed('operation'), ...durations, refused('operation')],
  };
}
