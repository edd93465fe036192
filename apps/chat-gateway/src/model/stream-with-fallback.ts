import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import { type Party, RestingTurn, type Slots } from '@relata/runtime';
import { streamOf } from '../stream-of.ts';
import { beginning, type Begun } from './beginning.ts';
import { wasNeverRead } from './model-error.ts';
import { watched } from './watched-stream.ts';

export interface FallbackOptions {
  /** Asked first. */
  first: LanguageModelV4;
  /** Asked where the first has failed before anything of its answer could be shown. */
  second: LanguageModelV4;
  /** Longest silence until the first token, and between two after it. */
  firstTokenMs: number;
  stallMs: number;
  /** What the first may write however it counts its tokens. */
  outputBytesMax: number;
  /** Of whom the second is asked in turn, since it needs nothing but this process. */
  fallbacks: Slots;
  party: Party;
  /** Why the second is asked. */
  onFallback: (reason: unknown) => void;
  /** Told once the first model's stream is over, however it ended: what it cost. */
  onUsage: (tokens: TokenCount) => void;
}

export interface TokenCount {
  /** Undefined where the model did not say. */
  reported: number | undefined;
  /** What it wrote, in UTF-8. */
  outputBytes: number;
}

/** Streams an answer of the first model, or of the second. Once the first has begun to answer, its failure is the answer's. */
export async function streamWithFallback(
  options: FallbackOptions,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  const { first, second, firstTokenMs, stallMs, outputBytesMax, onFallback, onUsage } = options;
  let begun: Begun;
  try {
    begun = await beginning(first, call, firstTokenMs);
  } catch (error) {
    onUsage({ reported: wasNeverRead(error) ? 0 : undefined, outputBytes: 0 });
    // The visitor has gone, or time is up: nobody would read another answer.
    if (call.abortSignal?.aborted) throw error;
    onFallback(error);
    return inTurn(new RestingTurn(options.fallbacks, options.party, call.abortSignal), () => second.doStream(call));
  }
  return { stream: streamOf(watched(begun, { stallMs, outputBytesMax, onUsage })) };
}

/** Whoever reads slowly keeps others waiting for no longer. */
const turnMsMax = 500;

/**
 * A model that is silent fails for hundreds in the same moment: their other answers are given one after another, so that
 * those of another organization have half of the time.
 */
async function inTurn(
  turn: RestingTurn,
  answer: () => PromiseLike<LanguageModelV4StreamResult>,
): Promise<LanguageModelV4StreamResult> {
  await turn.take();
  try {
    const { stream } = await answer();
    return { stream: streamOf(partsIn(turn, stream)) };
  } catch (error) {
    turn[Symbol.dispose]();
    throw error;
  }
}

async function* partsIn<Part>(turn: RestingTurn, stream: ReadableStream<Part>): AsyncGenerator<Part, void, undefined> {
  const timer = setTimeout(() => turn[Symbol.dispose](), turnMsMax);
  try {
    yield* stream;
  } finally {
    clearTimeout(timer);
    turn[Symbol.dispose]();
  }
}
