import { until } from '@relata/testbed/until';
import { inWaves } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { countRunsOf } from '../../test-bed/party.sql.ts';
import { createTestTrigger, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { findOtherEndings } from './flood-runs.ts';

const deliveriesCount = 32;
const everyMs = 5_000;
const failWithinMs = 30_000;

/** Error code of a run whose data is too large. */
const tooLarge = 'run_too_large';

/** V11: tests that runs with many large responses leave memory for others. */
export const largeLoops = neighbour<TestTrigger>({
  name: 'V11',
  flood: `${deliveriesCount} deliveries whose runs each make 100 calls, each answered with 256 KB`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  memory: { app: 'workflow-worker', mostMb: 400 },
  prepare({ database, servers }, { orgId }) {
    const call = { id: 'call', use: 'http.request', with: { method: 'GET', url: `${servers.outside.url}/large` } };
    const items = Array.from({ length: 100 }, (_, at) => at);
    const each = { id: 'each', use: 'for_each', with: { items }, steps: [call] };
    return createTestTrigger(database, orgId, { assigned: [workflowOf('calls-much', {}, each)] });
  },
  responses: { status: [202] },
  async run(context) {
    const { own, signal } = context;
    const send = senderTo(context, 'webhook-ingest');
    await inWaves(signal, { count: deliveriesCount, everyMs }, (place) =>
      send({ method: 'POST', path: own.path, headers: own.headers, body: { place } }),
    );
  },
  hasEffect: ({ outside }) => outside.largeResponses >= 50,
  async verify(aftermath) {
    const { bed, flooder } = aftermath;
    const hasFailed = async () => ((await countRunsOf(bed.database, flooder.orgId))[tooLarge] ?? 0) > 0;
    const failed = await until('runs carry too much', hasFailed, failWithinMs).catch(() => false);
    const others = await findOtherEndings(aftermath, tooLarge);
    return failed ? others : [`no run of the flood ended as ${tooLarge}`, ...others];
  },
});
