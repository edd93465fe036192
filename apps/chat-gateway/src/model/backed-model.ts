import type { LanguageModelV4 } from '@ai-sdk/provider';
import { loopTurns } from '@relata/http';
import type { Log, Slots } from '@relata/runtime';
import type { ChatMetrics } from '../chat/chat.metrics.ts';
import type { TokenCount } from './bounded-stream.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import { failureOf } from './model-error.ts';
import { streamInTurn, streamWithFallback } from './stream-with-fallback.ts';
import { streamingModel } from './streaming-model.ts';
import type { Asker, Reservation, TokenBudget } from './token-budget.ts';

/** The model for one answer. */
export interface ChosenModel {
  model: LanguageModelV4;
  /** Returns true if it cites every page that it used. */
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

/** Few tokens are shorter in UTF-8, whatever the script: what text takes at most, near enough. */
export const bytesPerToken = 3;

/** Hardly any token is longer: who writes more does not count. */
const bytesPerTokenMax = 40;

/** The configured model for one answer, and the built-in one where that may not be asked or fails. */
export function backedModel(options: BackedOptions): ChosenModel {
  const { first, second, fallbacks, breakers, asker, log } = options;
  const turns = { second, fallbacks, party: [asker.orgId] };
  let isBuiltIn = false;
  const noteFallback = () => {
    isBuiltIn = true;
    options.metrics.fallbacks.inc();
  };
  const onFallback = (error: unknown) => {
    noteFallback();
    log.warn({ failure: failureOf(error) }, 'the model failed before its first token; the built-in one answers');
  };
  const doStream: LanguageModelV4['doStream'] = async (call) => {
    const attempt = breakers.attempt(asker);
    if (!attempt) {
      noteFallback();
      return streamInTurn(turns, call);
    }
    // The tokens are set aside when the model is asked: who has left before that costs nothing.
    const reservation = await options.budget.reserve(asker, options.promptTokens + options.outputTokens);
    // Answers of the database come in bursts, and asking a model is the larger half of a question's work.
    await loopTurns.take([asker.orgId]);
    const onUsage = reservation && settlement(options, reservation);
    if (onUsage)
      return streamWithFallback({ first, ...boundsOf(options), ...turns, attempt, onFallback, onUsage }, call);
    isBuiltIn = true;
    attempt.abandoned();
    return second.doStream(call);
  };
  return { model: streamingModel(first, doStream), citesAlways: () => isBuiltIn };
}

function boundsOf({ firstTokenMs, stallMs, outputTokens }: BackedOptions) {
  return { firstTokenMs, stallMs, outputBytesMax: outputTokens * bytesPerTokenMax };
}

/** Settles what the model reports, or what its text is at most. */
function settlement({ promptTokens, metrics }: BackedOptions, reservation: Reservation) {
  return ({ reported, outputBytes }: TokenCount) => {
    const tokens = reported ?? promptTokens + Math.ceil(outputBytes / bytesPerToken);
    metrics.tokens.inc(tokens);
    reservation.settle(tokens);
  };
}
