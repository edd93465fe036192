import { waited } from '../../flood/pace.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { deliver, senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { words } from '@relata/testbed/outside-servers';
import { createTarget, type Target } from '@relata/testbed/site';
import { floodAddress } from './question.ts';

const visitorsCount = 100;
const deliveriesCount = 64;
const againAfterMs = 1_000;

/** A team channel that does not answer, while demo requests and workflows post to it. */
export const silentChannel = neighbour<Target>({
  name: 'slow-channel',
  resource: 'posts to the team channel',
  flood: `${visitorsCount} demo requests and ${deliveriesCount} runs at once, which the channel does not answer`,
  probes: ['demo', 'run'],
  apps: ['chat-gateway', 'webhook-ingest', 'workflow-worker'],
  prepare: ({ database }, { orgId }) =>
    createTarget(database, orgId, {
      assigned: [
        {
          definition: {
            name: 'posts-to-channel',
            inputs: {},
            steps: [{ id: 'post', use: 'channel.post', with: { text: words.silent }, timeout: '60s' }],
          },
          inputs: {},
        },
      ],
    }),
  answers: { delivered: [202], demo: [502, 503] },
  async run(context) {
    const delivering = deliver(context, context.own, { atOnce: deliveriesCount, figure: 'delivered' });
    await Promise.all([delivering, askForDemos(context)]);
  },
  // Runs and visitors all wait for the channel: the measurement does not include the acceptance of the deliveries.
  hasEffect: ({ outside }) => outside.silentChannel >= deliveriesCount + visitorsCount / 2,
});

async function askForDemos(context: FloodContext<Target>): Promise<void> {
  const { signal } = context;
  const send = senderTo(context, 'chat-gateway');
  const body = { name: words.silent, work_email: 'visitor@crowd.example' };
  let addresses = 0;
  const askOnAndOn = async () => {
    // Visitors do not arrive all at the same moment.
    await waited(againAfterMs * Math.random(), signal);
    while (!signal.aborted) {
      const headers = { 'x-forwarded-for': floodAddress(addresses++) };
      await send({ method: 'POST', path: '/v1/genie/demo-request', headers, body }, 'demo');
      await waited(againAfterMs * (0.5 + Math.random()), signal);
    }
  };
  await Promise.all(Array.from({ length: visitorsCount }, askOnAndOn));
}
