import { createOpenAI } from '@ai-sdk/openai';
import { Slots } from '@relata/runtime';
import { type BuiltInQuestion, builtInModel } from '../built-in/built-in-model.ts';
import { backedModel, type BackingOptions, bytesPerToken, type ChosenModel } from './backed-model.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import type { Asker, TokenBudget } from './token-budget.ts';

export interface ModelOptions extends Omit<BackingOptions, 'budget'> {
  /** Undefined if no model is configured. */
  budget: TokenBudget | undefined;
  /** The configured model. If undefined, the built-in model answers all questions. */
  configured: { apiKey: string; baseUrl: string | undefined; model: string } | undefined;
}

/** A visitor's question. `promptBytes` is the size of its prompt for the configured model. */
interface ModelQuestion extends BuiltInQuestion {
  asker: Asker;
  promptBytes: number;
}

export type ChooseModel = (question: ModelQuestion) => ChosenModel;

/** Maximum size of a response per output token, in bytes, including the stream's framing. */
const wireBytesPerTokenMax = 2_000;
/** Bytes that a response may have in addition, regardless of its token limit. */
const wireBytesBesideMax = 1_048_576;

/**
 * Maximum number of concurrent built-in answers that replace a failed model. Each organization gets at most one of them
 * at a time.
 */
const fallbacksMax = 3;

/**
 * Returns a function that selects the model for a question: the configured model with the built-in one as a fallback,
 * or only the built-in one.
 */
export function modelChooser(options: ModelOptions): ChooseModel {
  const { configured, outputTokens, budget } = options;
  if (!configured || !budget) return (question) => ({ model: builtInModel(question), citesAlways: () => true });
  const first = openAi(configured, outputTokens);
  const fallbacks = new Slots(fallbacksMax);
  const breakers = new CircuitBreakers((orgId) =>
    options.log.warn(
      { org_id: orgId },
      'circuit open: the model failed for several clients in a row; the built-in model answers',
    ),
  );
  const shared = { ...options, budget, first, fallbacks, breakers };
  return (question) => {
    const { asker, promptBytes } = question;
    const promptTokens = Math.ceil(promptBytes / bytesPerToken);
    return backedModel({ ...shared, second: builtInModel(question), asker, promptTokens });
  };
}

/** Creates a model for Chat Completions, which OpenAI and all compatible servers support. */
function openAi({ apiKey, baseUrl, model }: NonNullable<ModelOptions['configured']>, outputTokens: number) {
  const bounded = boundedFetch(wireBytesBesideMax + outputTokens * wireBytesPerTokenMax);
  return createOpenAI({ apiKey, fetch: bounded, ...(baseUrl && { baseURL: baseUrl }) }).chat(model);
}
