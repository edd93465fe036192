import type { Panel } from '../panel.ts';
import { quantiles, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';

export const answersOfChat: Panel = {
  title: 'Answers by outcome',
  description: '`failed` and `deadline` are errors of Relata or the model. Many `left` are visitors who did not wait.',
  unit: 'ops',
  queries: { '{{outcome}}': sum('outcome', rate('chat_answers_total')) },
};

export const firstToken: Panel = {
  title: 'Time to the first token',
  description: "Time that visitors wait, mostly for the model. Compare it with the provider's figures.",
  unit: 's',
  queries: quantiles('chat_first_token_seconds'),
};

export const fallbacks: Panel = {
  title: 'Answers of the built-in model instead of the configured one',
  description: 'Per 15 minutes. Look for `circuit open` in the log, and check the address and the key of the model.',
  unit: 'short',
  queries: { fallbacks: `sum(increase(${selected('chat_fallbacks_total')}[15m]))` },
  alerts: ['RelataModelFailing'],
  drawsAlerts: true,
};

export const demoRequests: Panel = {
  title: 'Demo requests',
  description:
    'Per hour. `unsent` requests are stored but did not reach the team: `relata demo-requests resend --unsent`.',
  unit: 'short',
  queries: { '{{outcome}}': `sum by (outcome) (increase(${selected('demo_requests_total')}[1h]))` },
  alerts: ['RelataDemoRequestUnsent'],
};

export const chatGateway: OwnPanels = {
  sections: [
    {
      title: 'Answers',
      panels: [
        answersOfChat,
        firstToken,
        {
          title: 'Open answers',
          description:
            'By process, up to `CHAT_STREAMS_MAX`. An organization that has half as many open answers gets 503.',
          unit: 'short',
          queries: { '{{instance}}': `max by (instance) (${selected('chat_streams_open')})` },
        },
        {
          title: 'Tokens of the configured model',
          description:
            'Per second. Most providers charge for them. `CHAT_DAILY_TOKENS` limits them per organization and day.',
          unit: 'ops',
          queries: { tokens: sum('', rate('chat_tokens_total')) },
        },
        fallbacks,
        {
          title: 'Thumbs',
          description:
            'Per hour. If down votes outnumber up votes, ask your visitors what they miss, and add pages about it.',
          unit: 'short',
          queries: { '{{vote}}': `sum by (vote) (increase(${selected('chat_votes_total')}[1h]))` },
        },
        demoRequests,
      ],
    },
  ],
};
