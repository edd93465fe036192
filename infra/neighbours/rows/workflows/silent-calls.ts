import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTestTrigger, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';

const postsCount = 64;

export const silentCalls = neighbour<TestTrigger>({
  name: 'V8',
  flood: `${postsCount} deliveries whose workflow calls a system that never answers`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare({ database, servers }, { orgId }) {
    const sent = { method: 'GET', url: `${servers.outside.url}/silent` };
    const call = { id: 'call', use: 'http.request', with: sent, timeout: '60s' };
    return createTestTrigger(database, orgId, { assigned: [workflowOf('calls-silence', {}, call)] });
  },
  responses: { status: [202] },
  run: (context) => deliver(context, context.own, { atOnce: postsCount }),
  hasEffect: ({ figures, outside }) => figures['status 202'] === postsCount && outside.silentCalls >= 4,
});
