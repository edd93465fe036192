import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { loopTurns } from '@relata/http';
import { type Log, Slots } from '@relata/runtime';
import { type BuiltInQuestion, createBuiltInModel } from '../built-in/built-in-model.ts';
import type { ChatMetrics } from '../chat/chat.metrics.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { TokenCount } from './bounded-stream.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import { failureOf } from './model-error.ts';
import { type Asker, type Budgets, reserveTokens } from './spending.ts';
import { streamInTurn, streamWithFallback } from './stream-with-fallback.ts';
import { streamingModel } from './streaming-model.ts';
import type { Reservation } from './token-budget.ts';

export interface ModelOptions extends Budgets {
  /** The configured model; without it the built-in one answers everything. */
  configured: { apiKey: string; baseUrl: string | undefined; model: string } | undefined;
  firstTokenMs: number;
  stallMs: number;
  outputTokens: number;
  metrics: ChatMetrics;
  log: Log;
}

export interface ChosenModel {
  model: LanguageModelV4;
  /** Whether it marks each statement with its page, without fail: what it does not cite it did not use. */
  citesAlways: () => boolean;
}

/** What a visitor asks, as the built-in model is handed it; the configured one is given a prompt of `promptBytes`. */
interface ModelQuestion extends Omit<BuiltInQuestion, 'canOffer'> {
  asker: Asker;
  promptBytes: number;
}

/** The model for one answer to an organization's visitor. */
export type ChooseModel = (question: ModelQuestion) => ChosenModel;

/** Few tokens are shorter in UTF-8, whatever the script: what a prompt takes at most, near enough. */
const bytesPerToken = 3;

/** Hardly any token is longer: who writes more does not count. */
const bytesPerTokenMax = 40;

/** What a server sends for each token, its frame included, and beside all tokens. */
const wireBytesPerTokenMax = 2_000;
const wireBytesBesideMax = 1_048_576;

/** Answers that the built-in model gives at once for another that has failed; one organization has one at a time. */
const fallbacksMax = 3;

/** The configured model backed by the built-in one, or the built-in one alone. */
export function modelChooser(options: ModelOptions): ChooseModel {
  const answerBuiltIn = createBuiltInModel();
  const builtIn = (question: ModelQuestion) => answerBuiltIn({ ...question, canOffer: true });
  const { configured, outputTokens } = options;
  if (!configured) return (question) => ({ model: builtIn(question), citesAlways: () => true });
  const first = openAi(configured, outputTokens);
  const fallbacks = new Slots(fallbacksMax);
  const breakers = new CircuitBreakers((orgId) =>
    options.log.warn(
      { org_id: orgId },
      'circuit open: the model failed for several clients in a row; the built-in one answers',
    ),
  );
  return (question) => {
    const { asker, promptBytes } = question;
    const promptTokens = Math.ceil(promptBytes / bytesPerToken);
    return backed({ ...options, first, second: builtIn(question), fallbacks, breakers, asker, promptTokens });
  };
}

/** Chat Completions, which OpenAI and those compatible with it all speak. */
function openAi({ apiKey, baseUrl, model }: NonNullable<ModelOptions['configured']>, outputTokens: number) {
  const bounded = boundedFetch(wireBytesBesideMax + outputTokens * wireBytesPerTokenMax);
  return createOpenAI({ apiKey, fetch: bounded, ...(baseUrl && { baseURL: baseUrl }) }).chat(model);
}

interface BackedOptions extends ModelOptions {
  first: LanguageModelV4;
  second: LanguageModelV4;
  fallbacks: Slots;
  breakers: CircuitBreakers;
  asker: Asker;
  promptTokens: number;
}

/** The tokens are set aside when the model is asked: who has left before that costs nothing. */
function backed(options: BackedOptions): ChosenModel {
  const { first, second, fallbacks, breakers, firstTokenMs, stallMs, outputTokens, promptTokens, asker, metrics, log } =
    options;
  let isBuiltIn = false;
  const onFallback = (error: unknown) => {
    isBuiltIn = true;
    metrics.fallbacks.inc();
    log.warn({ failure: failureOf(error) }, 'the model failed before its first token; the built-in one answers');
  };
  const settling = (reservation: Reservation) => (count: TokenCount) => {
    const tokens = count.reported ?? promptTokens + Math.ceil(count.outputBytes / bytesPerToken);
    metrics.tokens.inc(tokens);
    reservation.settle(tokens);
  };
  const bounds = { firstTokenMs, stallMs, outputBytesMax: outputTokens * bytesPerTokenMax };
  const whose = { fallbacks, party: [asker.orgId] };
  const doStream: LanguageModelV4['doStream'] = async (call) => {
    const attempt = breakers.attempt(asker);
    if (!attempt) {
      isBuiltIn = true;
      metrics.fallbacks.inc();
      return streamInTurn({ second, ...whose }, call);
    }
    const reservation = await reserveTokens(options, asker, promptTokens + outputTokens, log);
    isBuiltIn = !reservation;
    // Answers of the database come in bursts, and asking a model is the larger half of a question's work.
    await loopTurns.take([asker.orgId]);
    if (!reservation) {
      attempt.abandoned();
      return second.doStream(call);
    }
    const onUsage = settling(reservation);
    return streamWithFallback({ first, second, ...bounds, ...whose, attempt, onFallback, onUsage }, call);
  };
  return { model: streamingModel(first, doStream), citesAlways: () => isBuiltIn };
}
