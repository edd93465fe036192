import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { boundedStream, type TokenCount } from './bounded-stream.ts';
import { streamingModel } from './streaming-model.ts';

type Part = LanguageModelV4StreamPart;

const say = (delta: string): Part => ({ type: 'text-delta', id: 't', delta });
const think = (delta: string): Part => ({ type: 'reasoning-delta', id: 'r', delta });
const finish: Part = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: {
    inputTokens: { total: 2, noCache: 2, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 3, text: 3, reasoning: 0 },
  },
};
const never = () => new Promise<never>(() => {});

/** Creates a model that sends these parts, then stays silent without ending, and ignores the abort signal. */
function deaf(...parts: readonly Part[]): LanguageModelV4 {
  const stream = () =>
    new ReadableStream<Part>({
      start: (controller) => parts.forEach((part) => controller.enqueue(part)),
    });
  return streamingModel({ provider: 'test', modelId: 'deaf' }, () => Promise.resolve({ stream: stream() }));
}

function bounded(model: LanguageModelV4, signal?: AbortSignal, turnToGiveUp = () => Promise.resolve()) {
  const counts: TokenCount[] = [];
  const call = { prompt: [], ...(signal && { abortSignal: signal }) };
  const bounds = { firstTokenMs: 100, stallMs: 100, outputBytesMax: 10, turnToGiveUp };
  return { counts, parts: boundedStream({ model, call, ...bounds, onUsage: (count) => void counts.push(count) }) };
}

const messagesOf = (parts: readonly Part[]) =>
  parts.map((part) => (part.type === 'error' ? (part.error as Error).message : part.type));

test.each([
  ['does not respond costs nothing', streamingModel({ provider: 'test', modelId: 'mute' }, never), 0],
  ['opens a stream and sends no text costs nothing', deaf({ type: 'stream-start', warnings: [] }), 0],
  ['thinks and sends no text costs the estimated tokens', deaf(think('hm'), say(' ')), undefined],
])('a model that %s, and its call is aborted at the first-token limit', async (_how, model, reported) => {
  const { parts, counts } = bounded(model);
  await expect(parts.next()).rejects.toThrow('The model was silent for too long.');
  expect(counts).toMatchObject([{ reported }]);
});

test('if a visitor leaves before the first token, the estimated tokens are charged', async () => {
  const left = new AbortController();
  const { parts, counts } = bounded(deaf(), left.signal);
  const waiting = parts.next();
  left.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  expect(counts).toEqual([{ reported: undefined, outputBytes: 0 }]);
});

test('a model that begins to answer while its call waits to be aborted continues', async () => {
  let sent: ReadableStreamDefaultController<Part> | undefined;
  const stream = new ReadableStream<Part>({ start: (controller) => void (sent = controller) });
  const late = streamingModel({ provider: 'test', modelId: 'late' }, () => Promise.resolve({ stream }));
  const { promise: turn, resolve: takeTurn } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { parts } = bounded(late, undefined, () => (asked.resolve(), turn));
  const first = parts.next();
  await asked.promise;
  sent!.enqueue(say('Yes'));
  expect(await first).toMatchObject({ value: say('Yes') });
  takeTurn();
  sent!.enqueue(finish);
  expect(messagesOf(await Array.fromAsync(parts))).toEqual(['finish']);
});

test('the first part is sent once there is a token, and the usage is reported once', async () => {
  const { parts, counts } = bounded(deaf(think('hm'), say('Yes'), finish));
  expect(messagesOf(await Array.fromAsync(parts))).toEqual(['reasoning-delta', 'text-delta', 'finish']);
  expect(counts).toEqual([{ reported: 5, outputBytes: 5 }]);
});

test.each([
  ['falls silent', [say('It ')], 'The model fell silent.'],
  ['writes without end', [say('It '), say('x'.repeat(10))], 'The model wrote too much for one answer.'],
  ['reports an error', [say('It '), { type: 'error', error: new Error('overloaded') } as const], 'overloaded'],
])('if a model %s after the first token, the last part is the error', async (_how, sent, message) => {
  expect(messagesOf(await Array.fromAsync(bounded(deaf(...sent)).parts))).toEqual(['text-delta', message]);
});

test('a cancelled call ends at once with the reason, both before and after the first token', async () => {
  const reason = new Error('left');
  const before = new AbortController();
  const waiting = bounded(deaf(), before.signal).parts.next();
  before.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const after = new AbortController();
  const { parts, counts } = bounded(deaf(say('It ')), after.signal);
  await parts.next();
  const rest = Array.fromAsync(parts);
  after.abort(reason);
  expect(await rest).toEqual([{ type: 'error', error: reason }]);
  expect(counts).toEqual([{ reported: undefined, outputBytes: 3 }]);
});

test('the call ends if the reader stops', async () => {
  let signal: AbortSignal | undefined;
  const model = streamingModel({ provider: 'test', modelId: 'endless' }, ({ abortSignal }) => {
    signal = abortSignal;
    return Promise.resolve({ stream: new ReadableStream<Part>({ pull: (to) => to.enqueue(say('x')) }) });
  });
  for await (const _part of bounded(model).parts) break;
  expect(signal!.aborted).toBe(true);
});

const finishWith = (input: number | undefined, output: number | undefined): Part => ({
  ...finish,
  usage: {
    inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  },
});

test.each([
  [700, 77, 777],
  [undefined, 5, 5],
  [0, 0, undefined],
  [undefined, undefined, undefined],
  [10.5, 1, undefined],
  [-1, 5, undefined],
  [1e30, 1, undefined],
  [Number.NaN, 1, undefined],
])(
  'a report of %s input and %s output tokens counts as %s; undefined means an estimate',
  async (input, output, reported) => {
    const { parts, counts } = bounded(deaf(say('Hello.'), finishWith(input, output)));
    for await (const part of parts) expect(part.type).not.toBe('error');
    expect(counts).toEqual([{ reported, outputBytes: 6 }]);
  },
);
