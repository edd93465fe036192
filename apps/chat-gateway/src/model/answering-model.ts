import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Log } from '@relata/runtime';
import { createBuiltInModel } from '../built-in/built-in.model.ts';
import type { ChatMetrics } from '../chat/chat.metrics.ts';
import { type TokenCount, withFallback } from './fallback.model.ts';
import type { Reservation, TokenBudget } from './token-budget.ts';

export interface ModelOptions {
  /** The configured model; without it the built-in one answers everything. */
  configured: { apiKey: string; baseUrl: string | undefined; model: string } | undefined;
  firstTokenMs: number;
  stallMs: number;
  outputTokens: number;
  /** Null for no bound. */
  budget: TokenBudget | null;
  metrics: ChatMetrics;
  log: Log;
}

export interface ChosenModel {
  model: LanguageModelV4;
  /** Whether it marks each statement with its page, without fail: what it does not cite it did not use. */
  citesAlways: () => boolean;
}

/** Chooses the model for one answer to an organization's visitor, who is shown `promptCharacters` of our own and theirs. */
export type ChooseModel = (orgId: string, promptCharacters: number) => ChosenModel | Promise<ChosenModel>;

/** Few tokens are shorter: what a prompt takes at most, near enough. */
const charactersPerToken = 3;

/** Few tokens are longer: who writes more of them does not count. */
const charactersPerTokenMax = 40;

/** The configured model backed by the built-in one, or the built-in one alone. */
export function modelChooser(options: ModelOptions): ChooseModel {
  const { configured, budget, log, metrics } = options;
  const builtIn: ChosenModel = { model: createBuiltInModel(), citesAlways: () => true };
  if (!configured) return () => builtIn;
  const first = openAi(configured);
  return async (orgId, promptCharacters) => {
    const promptTokens = Math.ceil(promptCharacters / charactersPerToken);
    const reservation = await reserve(budget, orgId, promptTokens + options.outputTokens, log);
    if (!reservation) return builtIn;
    return backed(first, builtIn.model, options, ({ reported, outputCharacters }) => {
      const tokens = reported ?? promptTokens + Math.ceil(outputCharacters / charactersPerToken);
      metrics.tokens.inc(tokens);
      reservation.settle(tokens);
    });
  };
}

function backed(
  first: LanguageModelV4,
  second: LanguageModelV4,
  { firstTokenMs, stallMs, outputTokens, metrics, log }: ModelOptions,
  onUsage: (tokens: TokenCount) => void,
): ChosenModel {
  let hasFallenBack = false;
  const onFallback = (error: unknown) => {
    hasFallenBack = true;
    metrics.fallbacks.inc();
    log.warn({ err: withoutRequest(error) }, 'the model failed before its first token; the built-in one answers');
  };
  const outputUnitsMax = outputTokens * charactersPerTokenMax;
  const model = withFallback({ first, second, firstTokenMs, stallMs, outputUnitsMax, onFallback, onUsage });
  return { model, citesAlways: () => hasFallenBack };
}

/** Chat Completions, which OpenAI and those compatible with it all speak. */
function openAi({ apiKey, baseUrl, model }: NonNullable<ModelOptions['configured']>): LanguageModelV4 {
  return createOpenAI({ apiKey, ...(baseUrl && { baseURL: baseUrl }) }).chat(model);
}

const unlimited: Reservation = { settle: () => {} };

/** Where nobody can tell what is left, nothing is spent. */
async function reserve(budget: TokenBudget | null, orgId: string, tokens: number, log: Log) {
  if (!budget) return unlimited;
  try {
    const reservation = await budget.reserve(orgId, tokens);
    if (!reservation) log.info({ org_id: orgId }, 'the daily tokens are used up; the built-in model answers');
    return reservation;
  } catch (err) {
    log.warn({ err, org_id: orgId }, 'the daily tokens could not be counted; the built-in model answers');
    return undefined;
  }
}

/** The SDK's errors carry the whole request, visitors' words and all. */
function withoutRequest(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, statusCode } = error as Error & { statusCode?: number };
  return { type: name, message, ...(statusCode !== undefined && { status: statusCode }) };
}
