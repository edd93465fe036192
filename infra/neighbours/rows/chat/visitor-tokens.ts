import { waited } from '../../flood/load-shapes.ts';
import { HttpClient } from '@relata/testbed/http-client';
import { neighbour } from '../../neighbour.ts';
import { modelText, words } from '@relata/testbed/outside-servers';
import { questionFrom } from './question.ts';

const pauseMs = 200;

export const visitorTokens = neighbour({
  name: 'V12',
  flood: 'one address that asks for long answers, as often as its limit allows',
  probes: ['model'],
  apps: ['chat-gateway'],
  // The first long answer exceeds a tenth of this budget, which is the share of one client. With the default budget,
  // that would take ten answers.
  settings: { CHAT_DAILY_TOKENS: '100000' },
  responses: { status: [200, 429] },
  async run(context) {
    const { urls, signal, count } = context;
    using client = new HttpClient(urls['chat-gateway']!);
    while (!signal.aborted) {
      const response = await client.send(questionFrom(context, '172.16.0.1', words.costly)).catch(() => undefined);
      count('asked');
      if (response) count(response.text.includes(modelText) ? 'answered by the model' : `status ${response.status}`);
      await waited(pauseMs, signal);
    }
  },
  // The client has used up its share, so the built-in model answers.
  hasEffect: ({ figures }) => figures['answered by the model']! > 0 && figures['status 200']! > 0,
});
