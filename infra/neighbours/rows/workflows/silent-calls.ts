import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTarget, type Target, workflowOf } from '@relata/testbed/site';

const postsCount = 64;

export const silentCalls = neighbour<Target>({
  name: 'V8',
  flood: `${postsCount} deliveries whose workflow calls a system that never answers`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare({ database, servers }, { orgId }) {
    const sent = { method: 'GET', url: `${servers.outside.url}/silent` };
    const call = { id: 'call', use: 'http.request', with: sent, timeout: '60s' };
    return createTarget(database, orgId, { assigned: [workflowOf('calls-silence', {}, call)] });
  },
  answers: { status: [202] },
  run: (context) => deliver(context, context.own, { atOnce: postsCount }),
  hasEffect: ({ figures, outside }) => figures['status 202'] === postsCount && outside.silentCalls >= 4,
});
