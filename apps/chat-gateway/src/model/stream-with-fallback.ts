import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
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
  /** Why the second is about to be asked; it is once this has resolved. */
  onFallback: (reason: unknown) => Promise<void>;
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
    await onFallback(error);
    return second.doStream(call);
  }
  return { stream: streamOf(watched(begun, { stallMs, outputBytesMax, onUsage })) };
}
