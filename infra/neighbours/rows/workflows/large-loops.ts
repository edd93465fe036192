import { inWaves } from '../../flood/pace.ts';
import { HttpClient } from '../../http-client.ts';
import { neighbour } from '../../neighbour.ts';
import { createTarget, type Target } from '../../test-bed/party.ts';

const deliveriesCount = 32;
const everyMs = 5_000;

/** V11: the answers that a run has got are kept in its state. */
export const largeLoops = neighbour<Target>({
  name: 'V11',
  resource: 'memory of a worker',
  flood: `${deliveriesCount} deliveries that each make 100 calls, answered with 256 KB`,
  allowed: 3,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  memory: { app: 'workflow-worker', mostMb: 400 },
  prepare: ({ database, servers }, { orgId }) =>
    createTarget(database, orgId, {
      definition: {
        name: 'calls-much',
        inputs: {},
        steps: [
          {
            id: 'each',
            use: 'for_each',
            with: { items: Array.from({ length: 100 }, (_, at) => at) },
            steps: [{ id: 'call', use: 'http.request', with: { method: 'GET', url: `${servers.outside.url}/large` } }],
          },
        ],
      },
      inputs: {},
    }),
  async run({ urls, own, signal, count }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    await inWaves(signal, { count: deliveriesCount, everyMs }, async (place) => {
      const body = { place };
      count(`status ${await client.statusOf({ method: 'POST', path: own.path, headers: own.headers, body, signal })}`);
    });
  },
  hasEffect: ({ outside }) => outside.largeAnswers >= 50,
});
