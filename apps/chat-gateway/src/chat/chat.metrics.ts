import { Counter, Gauge, Histogram, type Metrics } from '@relata/runtime';
import type { OpenStreams } from './open-streams.ts';

export type ChatMetrics = ReturnType<typeof chatMetrics>;

export function chatMetrics(registry: Metrics) {
  const registers = [registry];
  return {
    answers: new Counter<'outcome'>({
      name: 'chat_answers_total',
      help: 'Answers by outcome: finished, failed, abandoned by the visitor, or cut off by the deadline or a shutdown.',
      labelNames: ['outcome'],
      registers,
    }),
    firstToken: new Histogram({
      name: 'chat_first_token_seconds',
      help: 'Time from the arrival of a question to the first token of its answer.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    fallbacks: new Counter({
      name: 'chat_fallbacks_total',
      help: 'Answers of the built-in model because the configured model failed before its first token, or is paused after failures.',
      registers,
    }),
    tokens: new Counter({ name: 'chat_tokens_total', help: 'Tokens used by the configured model.', registers }),
    votes: new Counter<'vote'>({
      name: 'chat_votes_total',
      help: 'Votes of visitors on answers: up, down.',
      labelNames: ['vote'],
      registers,
    }),
    demoRequests: countDemoRequests(registers),
  };
}

function countDemoRequests(registers: Metrics[]): Counter<'outcome'> {
  const counter = new Counter<'outcome'>({
    name: 'demo_requests_total',
    help: 'Demo requests that were stored, by whether they were forwarded: sent, unsent.',
    labelNames: ['outcome'],
    registers,
  });
  // Sets both counters to 0 at the start, so that alerts notice the first increase.
  for (const outcome of ['sent', 'unsent']) counter.inc({ outcome }, 0);
  return counter;
}

/** Registers a gauge that is read when metrics are scraped. */
export function measureStreams(streams: OpenStreams, registry: Metrics): void {
  void new Gauge({
    name: 'chat_streams_open',
    help: 'Answers in progress.',
    registers: [registry],
    collect() {
      this.set(streams.count);
    },
  });
}
