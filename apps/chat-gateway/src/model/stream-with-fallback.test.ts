import { setImmediate as nextLoop } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { Slots } from '@relata/runtime';
import { until } from '@relata/testing';
import { expect, test } from 'vitest';
import { toStream } from '../to-stream.ts';
import type { Attempt } from './circuit-breaker.ts';
import { streamWithFallback } from './stream-with-fallback.ts';
import { streamingModel } from './streaming-model.ts';

const failing = streamingModel({ provider: 'test', modelId: 'failing' }, () => Promise.reject(new Error('away')));

/** Creates an attempt that records its outcome. */
function noted() {
  const endings: string[] = [];
  const attempt: Attempt = {
    answered: () => endings.push('answered'),
    failed: () => endings.push('failed'),
    abandoned: () => endings.push('abandoned'),
  };
  return { attempt, endings };
}

const { attempt } = noted();

/** Creates a model that takes several turns of the event loop per answer, and counts its open answers. */
function counting() {
  const figures = { open: 0, most: 0, ended: 0 };
  async function* parts(): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
    for (let piece = 0; piece < 3; piece++) {
      await nextLoop();
      yield { type: 'text-delta', id: 't', delta: 'word ' };
    }
    figures.open--;
    figures.ended++;
  }
  const model = streamingModel({ provider: 'test', modelId: 'counting' }, () => {
    figures.most = Math.max(figures.most, ++figures.open);
    return Promise.resolve({ stream: toStream(parts()) });
  });
  return { model, figures };
}

test('fallback answers are given one at a time for each organization', async () => {
  const fallbacks = new Slots(3);
  const { model, figures } = counting();
  const neighbour = counting();
  const bounds = { firstTokenMs: 1_000, stallMs: 1_000, outputBytesMax: 1_000 };
  const ask = async (orgId: string, second = model) => {
    const whose = { fallbacks, party: [orgId], attempt };
    const ignored = { onFallback: () => undefined, onUsage: () => undefined };
    const { stream } = await streamWithFallback(
      { first: failing, second, ...bounds, ...whose, ...ignored },
      { prompt: [] },
    );
    return Array.fromAsync(stream);
  };
  const all = Array.from({ length: 6 }, () => ask('flooder'));
  await ask('other', neighbour.model);
  // The answer for the other organization did not wait for all answers of the first.
  expect(figures.ended).toBeLessThan(6);
  await Promise.all(all);
  expect(figures).toEqual({ open: 0, most: 1, ended: 6 });
});

test('calls to a silent model are aborted one after another, each followed by its fallback', async () => {
  const fallbacks = new Slots(3);
  const { model: second, figures } = counting();
  const open = { calls: 0, mostEnded: 0 };
  const silent = streamingModel({ provider: 'test', modelId: 'silent' }, ({ abortSignal }) => {
    open.calls++;
    abortSignal!.addEventListener('abort', () => {
      open.calls--;
      open.mostEnded = Math.max(open.mostEnded, 4 - open.calls - figures.ended);
    });
    return new Promise(() => {});
  });
  const whose = { fallbacks, party: ['flooder'], attempt, onFallback: () => undefined, onUsage: () => undefined };
  const bounds = { firstTokenMs: 1, stallMs: 1_000, outputBytesMax: 1_000 };
  const ask = async () => {
    const { stream } = await streamWithFallback({ first: silent, second, ...bounds, ...whose }, { prompt: [] });
    return Array.fromAsync(stream);
  };
  await Promise.all(Array.from({ length: 4 }, ask));
  expect({ ...open, ...figures }).toEqual({ calls: 0, mostEnded: 1, open: 0, most: 1, ended: 4 });
});

test('a model that answers while its fallback waits holds no slot', async () => {
  const fallbacks = new Slots(1);
  expect(fallbacks.take(['flooder'])).toBe(true);
  const { promise: late, resolve: answer } = Promise.withResolvers<{ stream: ReadableStream }>();
  const first = streamingModel({ provider: 'test', modelId: 'late' }, () => late);
  const whose = { fallbacks, party: ['flooder'], attempt, onFallback: () => undefined, onUsage: () => undefined };
  const bounds = { firstTokenMs: 1, stallMs: 1_000, outputBytesMax: 1_000 };
  const { model: text } = counting();
  const asked = streamWithFallback({ first, second: text, ...bounds, ...whose }, { prompt: [] });
  await until(() => expect(fallbacks.waiting).toBe(1));
  answer(await text.doStream({ prompt: [] }));
  await asked;
  fallbacks.release(['flooder']);
  await until(() => expect(fallbacks.free).toBe(1));
});

test('a call that fails while its fallback waits takes one slot, and releases it', async () => {
  const fallbacks = new Slots(3);
  expect(fallbacks.take(['flooder'])).toBe(true);
  const { promise: late, reject: fail } = Promise.withResolvers<{ stream: ReadableStream }>();
  const first = streamingModel({ provider: 'test', modelId: 'late' }, () => late);
  const { model: second, figures } = counting();
  const whose = { fallbacks, party: ['flooder'], attempt, onFallback: () => undefined, onUsage: () => undefined };
  const bounds = { firstTokenMs: 1, stallMs: 1_000, outputBytesMax: 1_000 };
  const asked = streamWithFallback({ first, second, ...bounds, ...whose }, { prompt: [] });
  await until(() => expect(fallbacks.waiting).toBe(1));
  fail(new Error('away'));
  await nextLoop();
  expect(fallbacks.waiting).toBe(1);
  fallbacks.release(['flooder']);
  const { stream } = await asked;
  await Array.fromAsync(stream);
  expect(figures).toEqual({ open: 0, most: 1, ended: 1 });
  await until(() => expect(fallbacks.free).toBe(3));
});

test('a visitor who has left does not hold the slot of a fallback', async () => {
  const fallbacks = new Slots(1);
  expect(fallbacks.take(['flooder'])).toBe(true);
  const left = new AbortController();
  const whose = {
    fallbacks,
    party: ['flooder'],
    attempt,
    onFallback: () => left.abort(new Error('left')),
    onUsage: () => undefined,
  };
  const bounds = { firstTokenMs: 1_000, stallMs: 1_000, outputBytesMax: 1_000 };
  const second = counting();
  const call = { prompt: [], abortSignal: left.signal };
  const asked = streamWithFallback({ first: failing, second: second.model, ...bounds, ...whose }, call);
  await expect(asked).rejects.toThrow('left');
  expect(second.figures.most).toBe(0);
});

test('an attempt counts as answered at the first token, as failed if the fallback answers, and as abandoned if the visitor leaves', async () => {
  const { model: answering } = counting();
  const bounds = { firstTokenMs: 1_000, stallMs: 1_000, outputBytesMax: 1_000 };
  const endingsOf = async (first: typeof failing, abortSignal?: AbortSignal) => {
    const { attempt: own, endings } = noted();
    const whose = { fallbacks: new Slots(3), party: ['acme'], onFallback: () => undefined, onUsage: () => undefined };
    const call = { prompt: [], ...(abortSignal && { abortSignal }) };
    await streamWithFallback({ first, second: answering, ...bounds, ...whose, attempt: own }, call).catch(() => {});
    return endings;
  };
  expect(await endingsOf(answering)).toEqual(['answered']);
  expect(await endingsOf(failing)).toEqual(['failed']);
  expect(await endingsOf(answering, AbortSignal.abort())).toEqual(['abandoned']);
});
