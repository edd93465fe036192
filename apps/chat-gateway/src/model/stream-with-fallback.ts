import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import { type Party, RestingTurn, type Slots } from '@relata/runtime';
import { streamOf } from '../stream-of.ts';
import { type BoundedCall, boundedStream } from './bounded-stream.ts';
import type { Attempt } from './circuit-breaker.ts';

export interface FallbackOptions extends Omit<BoundedCall, 'model' | 'call' | 'turnToGiveUp'> {
  /** Model that is asked first, within the limits. */
  first: LanguageModelV4;
  /** Model that is asked if the first has failed before any part of its answer could be shown. */
  second: LanguageModelV4;
  /** Slots for answers of the second model, which uses only the time of this process. */
  fallbacks: Slots;
  party: Party;
  /** Records how the call to the first model ends. */
  attempt: Attempt;
  /** Called with the failure of the first model before the second is asked. */
  onFallback: (reason: unknown) => void;
}

/**
 * Streams an answer of the first model, or of the second. Once the first has begun to answer, its failure is the
 * answer's.
 */
export async function streamWithFallback(
  { first, second, fallbacks, party, attempt, onFallback, ...bounds }: FallbackOptions,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  const turn = new RestingTurn(fallbacks, party, { signal: call.abortSignal });
  let hasBegun = false;
  // Giving up hundreds of calls costs as much as answering them, so it is part of the turn.
  const turnToGiveUp = async () => {
    await turn.take();
    if (hasBegun) turn[Symbol.dispose]();
  };
  const parts = boundedStream({ ...bounds, model: first, call, turnToGiveUp });
  try {
    const begun = await parts.next();
    hasBegun = true;
    attempt.answered();
    turn[Symbol.dispose]();
    return { stream: begun.done ? streamOf(parts) : streamOf(parts, begun.value) };
  } catch (error) {
    // The visitor has left, or the time is over: nobody would read another answer.
    if (call.abortSignal?.aborted) {
      attempt.abandoned();
      turn[Symbol.dispose]();
      throw error;
    }
    attempt.failed();
    onFallback(error);
    return inTurn(turn, () => second.doStream(call));
  }
}

/** Streams an answer of the second model if the first must not be asked. */
export async function streamInTurn(
  { second, fallbacks, party }: Pick<FallbackOptions, 'second' | 'fallbacks' | 'party'>,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  return inTurn(new RestingTurn(fallbacks, party, { signal: call.abortSignal }), () => second.doStream(call));
}

/** Longest turn, so that a slow reader does not delay others further. */
const turnMsMax = 500;

/**
 * Runs an answer in its turn. A silent model fails for hundreds of visitors at the same moment; their fallback answers
 * follow one another, so that other organizations get half of the time.
 */
async function inTurn(
  turn: RestingTurn,
  answer: () => PromiseLike<LanguageModelV4StreamResult>,
): Promise<LanguageModelV4StreamResult> {
  if (!turn.isTaken) await turn.take();
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
