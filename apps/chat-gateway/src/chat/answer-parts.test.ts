import { getEventListeners } from 'node:events';
import type { UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';
import { answerParts } from './answer-parts.ts';
import type { Ending } from './ending.ts';

function answering(chunks: readonly UIMessageChunk[]) {
  const ending = new AbortController();
  const told = { firstTokens: 0, outcomes: [] as string[] };
  const parts = answerParts({
    parts: ReadableStream.from<UIMessageChunk>(chunks) as unknown as ReadableStream<UIMessageChunk>,
    sources: [],
    question: 'What does it cost?',
    citesAlways: () => true,
    ending: { signal: ending.signal, reason: undefined, [Symbol.dispose]() {} } satisfies Ending,
    onFirstToken: () => told.firstTokens++,
    onEnd: (outcome) => void told.outcomes.push(outcome),
  });
  return { parts, told, signal: ending.signal };
}

const words = (count: number): UIMessageChunk[] => [
  { type: 'text-start', id: 't' },
  ...Array.from({ length: count }, () => ({ type: 'text-delta', id: 't', delta: 'x' }) as const),
  { type: 'text-end', id: 't' },
  { type: 'finish' },
];

test('a model that is faster than its reader does not block other work', async () => {
  const { parts } = answering(words(10_000));
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns++;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  for await (const _part of parts);
  isOver = true;
  expect(turns).toBeGreaterThan(200);
});

test('the first token and the end are each reported once, and no listener remains', async () => {
  const { parts, told, signal } = answering(words(5));
  for await (const _part of parts);
  expect(told).toEqual({ firstTokens: 1, outcomes: ['finished'] });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
