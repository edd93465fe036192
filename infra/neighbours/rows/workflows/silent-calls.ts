import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTarget, type Target } from '@relata/testbed/site';

const postsCount = 64;

/** V8: calls that are never answered hold the places of a worker. */
export const silentCalls = neighbour<Target>({
  name: 'V8',
  resource: 'places of a worker',
  flood: `${postsCount} deliveries whose workflow calls a system that never answers`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: ({ database, servers }, { orgId }) =>
    createTarget(database, orgId, {
      assigned: [
        {
          definition: {
            name: 'calls-silence',
            inputs: {},
            steps: [
              {
                id: 'call',
                use: 'http.request',
                with: { method: 'GET', url: `${servers.outside.url}/silent` },
                timeout: '60s',
              },
            ],
          },
          inputs: {},
        },
      ],
    }),
  answers: { status: [202] },
  run: (context) => deliver(context, context.own, { atOnce: postsCount }),
  hasEffect: ({ figures, outside }) => figures['status 202'] === postsCount && outside.silentCalls >= 4,
});
