import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from '@ai-sdk/provider';
import type { Party, Slots } from '@relata/runtime';
import { toStream } from '../to-stream.ts';
import { type BoundedCall, boundedStream } from './bounded-stream.ts';
import type { Attempt } from './circuit-breaker.ts';

export interface FallbackOptions extends Omit<BoundedCall, 'model' | 'call' | 'turnToGiveUp'> {
  /** Model that is asked first, within the limits. */
  first: LanguageModelV4;
  /** Model that is asked if the first fails before its first token. */
  second: LanguageModelV4;
  /** Slots for answers of the second model, which runs on the event loop of this process. */
  fallbacks: Slots;
  party: Party;
  /** Attempt that is told the outcome of the call to the first model. */
  attempt: Attempt;
  /** Called with the failure of the first model before the second is asked. */
  onFallback: (reason: unknown) => void;
}

/**
 * Streams an answer of the first model or, if that fails before its first part, of the second. A later failure of the
 * first model ends the answer with that failure.
 */
export async function streamWithFallback(
  { first, second, fallbacks, party, attempt, onFallback, ...bounds }: FallbackOptions,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  let slot: Promise<Disposable> | undefined;
  const takeSlot = () => (slot ??= holdFallback(fallbacks, party, call));
  const releaseSlot = () => slot?.then((held) => held[Symbol.dispose]()).catch(() => undefined);
  // Takes the slot before the abort, too, because aborting hundreds of calls is as much work as answering them.
  const turnToGiveUp = async () => void (await takeSlot());
  const parts = boundedStream({ ...bounds, model: first, call, turnToGiveUp });
  try {
    const begun = await parts.next();
    attempt.answered();
    void releaseSlot();
    return { stream: begun.done ? toStream(parts) : toStream(parts, begun.value) };
  } catch (error) {
    // The visitor has left, or the deadline has passed. Nobody would read another answer.
    if (call.abortSignal?.aborted) {
      attempt.abandoned();
      void releaseSlot();
      throw error;
    }
    attempt.failed();
    onFallback(error);
    return inSlot(await takeSlot(), second, call);
  }
}

/** Streams an answer of the second model in a slot, without asking the first model. */
export async function streamInSlot(
  { second, fallbacks, party }: Pick<FallbackOptions, 'second' | 'fallbacks' | 'party'>,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  return inSlot(await holdFallback(fallbacks, party, call), second, call);
}

/**
 * Waits for a slot for a fallback answer. A silent model fails for hundreds of visitors at the same moment. Their
 * fallback answers follow one after another, with rests that leave half of the time for other organizations.
 */
function holdFallback(slots: Slots, party: Party, { abortSignal: signal }: LanguageModelV4CallOptions) {
  return slots.hold(party, { signal, restTimes: 1 });
}

/** Maximum time for which an answer holds its slot, so that a slow reader does not delay others. */
const heldMsMax = 500;

/**
 * Streams an answer of the second model in a slot. Releases the slot when the stream ends or fails, or after
 * `heldMsMax`.
 */
async function inSlot(
  slot: Disposable,
  second: LanguageModelV4,
  call: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  try {
    const { stream } = await second.doStream(call);
    return { stream: toStream(partsIn(slot, stream)) };
  } catch (error) {
    slot[Symbol.dispose]();
    throw error;
  }
}

async function* partsIn<Part>(held: Disposable, stream: ReadableStream<Part>): AsyncGenerator<Part, void, undefined> {
  using slot = held;
  const timer = setTimeout(() => slot[Symbol.dispose](), heldMsMax);
  try {
    yield* stream;
  } finally {
    clearTimeout(timer);
  }
}
