import { deliver, senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { words } from '@relata/testbed/outside-servers';
import { createTestTrigger, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { crowd, floodAddress } from './question.ts';

const visitorsCount = 100;
const deliveriesCount = 64;
const againAfterMs = 1_000;

export const silentChannel = neighbour<TestTrigger>({
  name: 'slow-channel',
  flood: `${visitorsCount} demo requests and ${deliveriesCount} runs at once, waiting for a channel that does not answer`,
  probes: ['demo', 'run'],
  apps: ['chat-gateway', 'webhook-ingest', 'workflow-worker'],
  prepare({ database }, { orgId }) {
    const post = { id: 'post', use: 'channel.post', with: { text: words.silent }, timeout: '60s' };
    return createTestTrigger(database, orgId, { assigned: [workflowOf('posts-to-channel', {}, post)] });
  },
  responses: { delivered: [202], demo: [502, 503] },
  async run(context) {
    const delivering = deliver(context, context.own, { atOnce: deliveriesCount, figure: 'delivered' });
    const send = senderTo(context, 'chat-gateway');
    const body = { name: words.silent, work_email: 'visitor@crowd.example' };
    const asking = crowd(context.signal, { visitors: visitorsCount, againAfterMs }, (asked) => {
      const headers = { 'x-forwarded-for': floodAddress(asked) };
      return send({ method: 'POST', path: '/v1/genie/demo-request', headers, body }, 'demo');
    });
    await Promise.all([delivering, asking]);
  },
  // All runs and half of the visitors wait for the channel by then, so accepting the deliveries is not measured.
  hasEffect: ({ outside }) => outside.silentChannel >= deliveriesCount + visitorsCount / 2,
});
