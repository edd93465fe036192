import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { words } from '@relata/testbed/outside-servers';
import { crowd, floodAddress, questionFrom } from './question.ts';

/** Number of concurrent visitors. An organization can have 500 open answers, so more visitors would only be refused. */
const visitorsCount = 600;
const visitorsOfAddress = 10;
const againAfterMs = 5_000;

/** Tests that answers which wait for a silent model leave capacity for other organizations. */
export const silentModel = neighbour({
  name: 'slow-model',
  flood: `${visitorsCount} visitors at once whose model is silent`,
  probes: ['chat', 'demo'],
  apps: ['chat-gateway'],
  responses: { status: [200, 503] },
  async run(context) {
    const { urls, signal, count } = context;
    using client = new HttpClient(urls['chat-gateway']!);
    await crowd(signal, { visitors: visitorsCount, againAfterMs }, async (asked) => {
      const address = floodAddress(Math.floor(asked / visitorsOfAddress));
      count('asked');
      count(`status ${await client.statusOf(questionFrom(context, address, words.silent))}`);
    });
  },
  // Each visitor waits for the model or was answered, so that reading the questions is not part of the measurement.
  hasEffect: ({ figures, outside }) => {
    const answered = Object.entries(figures).filter(([name]) => name.startsWith('status'));
    const settled = answered.reduce((sum, [, times]) => sum + times, outside.silentModel);
    return settled >= visitorsCount && outside.silentModel >= 50;
  },
});
