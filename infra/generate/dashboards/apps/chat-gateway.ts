import type { Panel } from '../panel.ts';
import { quantile, rate, selected, sum } from '../promql.ts';
import type { OwnPanels } from './own-panels.ts';

export const answersOfChat: Panel = {
  title: 'Answers by how they ended',
  description:
    '`failed` and `deadline` are faults, ours or of the model. `left` in numbers are visitors who did not want to wait.',
  unit: 'ops',
  queries: { '{{outcome}}': sum('outcome', rate('chat_answers_total')) },
};

export const firstToken: Panel = {
  title: 'Time to the first token',
  description: 'What visitors feel. Most of it is the model: compare it with what its provider says.',
  unit: 's',
  queries: {
    p50: quantile(0.5, 'chat_first_token_seconds', ''),
    p95: quantile(0.95, 'chat_first_token_seconds', ''),
    p99: quantile(0.99, 'chat_first_token_seconds', ''),
  },
};

export const fallbacks: Panel = {
  title: 'Answers of the built-in model in place of the configured one',
  description: 'Within 15 minutes. Look for `circuit open` in the log, and at the address and the key of the model.',
  unit: 'short',
  queries: { fallbacks: `sum(increase(${selected('chat_fallbacks_total')}[15m]))` },
  alerts: ['RelataModelFailing'],
  drawsAlerts: true,
};

export const demoRequests: Panel = {
  title: 'Demo requests',
  description:
    'Within an hour. `unsent` are stored, and did not reach the team: `relata demo-requests resend --unsent`.',
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
            'Of each process, which has `CHAT_STREAMS_MAX` at most; beyond half of them an organization gets 503.',
          unit: 'short',
          queries: { '{{instance}}': `max by (instance) (${selected('chat_streams_open')})` },
        },
        {
          title: 'Tokens of the configured model',
          description: 'In a second: what it costs. `CHAT_DAILY_TOKENS` bounds it for each organization and day.',
          unit: 'ops',
          queries: { tokens: sum('', rate('chat_tokens_total')) },
        },
        fallbacks,
        {
          title: 'Thumbs',
          description: 'Within an hour. More down than up: read those questions, and add pages that answer them.',
          unit: 'short',
          queries: { '{{vote}}': `sum by (vote) (increase(${selected('chat_votes_total')}[1h]))` },
        },
        demoRequests,
      ],
    },
  ],
};
