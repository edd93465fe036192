import { aborted } from '../../flood/pace.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { createTarget, type Target } from '../../test-bed/party.ts';

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
    }),
  answers: { status: [202] },
  async run({ urls, own, signal, count }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    const posts = Array.from({ length: postsCount }, (_, turn) =>
      client.statusOf({ method: 'POST', path: own.path, headers: own.headers, body: { turn }, signal }),
    );
    for (const status of await Promise.all(posts)) count(`status ${status}`);
    await aborted(signal);
  },
  hasEffect: ({ figures, outside }) => figures['status 202'] === postsCount && outside.silentCalls >= 4,
});
