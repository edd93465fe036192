import type { LanguageModelV4 } from '@ai-sdk/provider';
import { loopTurns } from '@relata/http';
import type { Log, Slots } from '@relata/runtime';
import type { ChatMetrics } from '../chat/chat.metrics.ts';
import type { TokenCount } from './bounded-stream.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import { loggableFailure } from './model-error.ts';
import { streamInSlot, streamWithFallback } from './stream-with-fallback.ts';
import { streamingModel } from './streaming-model.ts';
import type { Asker, Reservation, TokenBudget } from './token-budget.ts';

export interface ChosenModel {
  model: LanguageModelV4;
  /** Returns true if the model that answered cites every page that it used. */
  citesAlways: () => boolean;
}

/** Options shared by all answers. */
export interface BackingOptions {
  budget: TokenBudget;
  outputTokens: number;
  firstTokenMs: number;
  stallMs: number;
  metrics: ChatMetrics;
  log: Log;
}

interface BackedOptions extends BackingOptions {
  first: LanguageModelV4;
  second: LanguageModelV4;
  fallbacks: Slots;
  breakers: CircuitBreakers;
  asker: Asker;
  promptTokens: number;
}

/**
 * Assumed minimum size of a token in UTF-8, in bytes. In any script, few tokens are shorter, so the size of a text
 * divided by this number is about its maximum number of tokens.
 */
export const bytesPerToken = 3;

/**
 * Assumed maximum average size of a token, in bytes. An answer longer than the token limit times this size is cut off.
 */
const bytesPerTokenMax = 40;

/**
 * Returns a model for one answer. It asks the configured model, or the built-in one if the configured one must not be
 * asked or fails before its first token.
 */
export function backedModel(options: BackedOptions): ChosenModel {
  const { first, second, fallbacks, breakers, asker, log } = options;
  const turns = { second, fallbacks, party: [asker.orgId] };
  const { firstTokenMs, stallMs, outputTokens } = options;
  const bounds = { firstTokenMs, stallMs, outputBytesMax: outputTokens * bytesPerTokenMax };
  let isBuiltIn = false;
  const noteFallback = () => {
    isBuiltIn = true;
    options.metrics.fallbacks.inc();
  };
  const onFallback = (error: unknown) => {
    noteFallback();
    log.warn(
      { failure: loggableFailure(error) },
      'the model failed before its first token; the built-in model answers',
    );
  };
  const doStream: LanguageModelV4['doStream'] = async (call) => {
    const attempt = breakers.attempt(asker);
    if (!attempt) {
      noteFallback();
      return streamInSlot(turns, call);
    }
    // Reserves tokens only when the model is about to be asked, so a visitor who leaves earlier costs nothing.
    const reservation = await options.budget.reserve(asker, options.promptTokens + outputTokens);
    // Lets organizations take turns here, because the database grants many reservations at once, and asking the model
    // is most of a question's work.
    await loopTurns.take([asker.orgId]);
    if (call.abortSignal?.aborted) {
      reservation?.settle(0);
      attempt.abandoned();
      call.abortSignal.throwIfAborted();
    }
    const onUsage = reservation && settlement(options, reservation);
    if (onUsage) return streamWithFallback({ first, ...bounds, ...turns, attempt, onFallback, onUsage }, call);
    isBuiltIn = true;
    attempt.abandoned();
    return second.doStream(call);
  };
  return { model: streamingModel(first, doStream), citesAlways: () => isBuiltIn };
}

/**
 * Returns a function that charges the tokens that the model reported. If the model reported nothing, it charges an
 * upper estimate from the length of the text.
 */
function settlement({ promptTokens, metrics }: BackedOptions, reservation: Reservation) {
  return ({ reported, outputBytes }: TokenCount) => {
    const tokens = reported ?? promptTokens + Math.ceil(outputBytes / bytesPerToken);
    metrics.tokens.inc(tokens);
    reservation.settle(tokens);
  };
}
