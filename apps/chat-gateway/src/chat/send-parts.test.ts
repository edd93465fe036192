import { createServer } from 'node:http';
import { listen } from '@relata/testing';
import type { UIMessageChunk } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { sendParts } from './send-parts.ts';

type Parts = AsyncGenerator<UIMessageChunk, void, undefined>;

/** Sends parts over real HTTP, and reads them as they arrive. */
async function sending(parts: () => Parts, keepAliveMs?: number) {
  const server = createServer((_request, response) => {
    const { signal } = new AbortController();
    void sendParts({ response, parts: parts(), signal, isLast: true, ...(keepAliveMs && { keepAliveMs }) });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  const response = await fetch(url);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return async (words: string): Promise<string> => {
    for (let done = false; !text.includes(words) && !done;) {
      const read = await reader.read();
      done = read.done;
      text += read.value ?? '';
    }
    return text;
  };
}

const delta = (words: string) => ({ type: 'text-delta', id: 't', delta: words }) as const;

test('each part is sent before the next part exists', async () => {
  const turns = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
  const until = await sending(async function* (): Parts {
    yield { type: 'text-start', id: 't' };
    for (const [at, turn] of turns.entries()) {
      yield delta(`word-${at}`);
      await turn.promise;
    }
  });
  for (const [at, turn] of turns.entries()) {
    expect(await until(`word-${at}`)).toContain(`word-${at}`);
    turn.resolve();
  }
  expect(await until('[DONE]')).toMatch(/data: \[DONE\]\n\n$/);
});

test('many parts at once arrive completely and in order', async () => {
  const until = await sending(async function* (): Parts {
    for (let at = 0; at < 5_000; at++) yield delta(`${at};`);
  });
  const text = await until('[DONE]');
  const words = [...text.matchAll(/"delta":"(\d+);"/g)].map(([, at]) => Number(at));
  expect(words).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
});

test('a silent answer sends keep-alives, before its first text and after it', async () => {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const until = await sending(async function* (): Parts {
    await first.promise;
    yield delta('It ');
    yield delta('begins');
    await second.promise;
  }, 50);
  await until(': keep-alive');
  first.resolve();
  await until('begins');
  expect(await until('begins"}\n\n: keep-alive')).toContain('begins"}\n\n: keep-alive');
  second.resolve();
  await until('[DONE]');
});
