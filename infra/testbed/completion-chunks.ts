const words = ' The Team plan costs 29 euros a seat and month, and a year paid ahead takes a fifth off that [1].'.split(
  /(?= )/,
);

/** Returns the token at a position, which counts from 0. Every answer has the same tokens. */
export function tokenAt(place: number): string {
  return words[place % words.length]!;
}

/** Fields of every chunk, in the order and length of OpenAI's chunks. */
const head = {
  id: 'chatcmpl-DfC2zPq8mN4rT6vX1yB3kL5wJ7hS9',
  object: 'chat.completion.chunk',
  created: 1_780_000_000,
  model: 'gpt-5.4-mini-2026-03-17',
  service_tier: 'default',
  system_fingerprint: 'fp_0f1e2d3c4b',
};

/**
 * Reported usage, with so few tokens that no run exhausts the daily budget: the bench measures accounting, not the end
 * of the budget. Without a report the gateway would estimate the usage.
 */
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const frame = (more: object) => Buffer.from(`data: ${JSON.stringify({ ...head, ...more })}\n\n`);
const choice = (delta: object, finishReason: string | null = null) => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  usage: null,
});

export const firstChunk = frame(choice({ role: 'assistant', content: '', refusal: null }));
export const lastChunks = Buffer.concat([
  frame(choice({}, 'stop')),
  frame({ choices: [], usage }),
  Buffer.from('data: [DONE]\n\n'),
]);

const tokenChunks = words.map((word) => frame(choice({ content: word })));

export function tokenChunk(place: number): Buffer {
  return tokenChunks[place % tokenChunks.length]!;
}

/** Returns all bytes of an answer, for answers that are sent without delays. */
export function wholeAnswer(tokens: number): Buffer {
  return Buffer.concat([firstChunk, ...Array.from({ length: tokens }, (_, place) => tokenChunk(place)), lastChunks]);
}
