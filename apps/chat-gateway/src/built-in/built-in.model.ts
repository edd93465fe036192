import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { type Answer, answer } from './answer.ts';
import { givenSources } from './given-sources.ts';
import { turnsOf } from './prompt.turns.ts';
import { statementReader } from './statements.ts';
import { streamOf } from '../stream-of.ts';

const modelId = 'built-in';
const toolName = 'offer_demo';

/** Words of a piece that is streamed, and pieces until others get their turn. */
const piecePattern = /(?:\S+\s*){1,4}|\s+/g;
const piecesAtOnce = 4;

/**
 * A model that needs no network: it answers with what the pages in `providerOptions.relata.sources` say, and where a
 * visitor wants a demo calls `offer_demo`, if it is among the tools. It costs no tokens and never fails.
 */
export function createBuiltInModel(): LanguageModelV4 {
  const read = statementReader();
  const answerTo = (options: LanguageModelV4CallOptions): Answer => {
    options.abortSignal?.throwIfAborted();
    const sources = givenSources(options.providerOptions);
    return answer({ turns: turnsOf(options.prompt), sources, canOffer: canOffer(options) }, read);
  };
  return {
    specificationVersion: 'v4',
    provider: 'relata',
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const given = answerTo(options);
      const calls = given.offer ? [toolCall(given.offer)] : [];
      return {
        content: [{ type: 'text', text: given.text }, ...calls],
        finishReason: reasonOf(given),
        usage,
        warnings: [],
      };
    },
    async doStream(options) {
      return { stream: streamOf(partsOf(answerTo(options), options.abortSignal)) };
    },
  };
}

function canOffer({ tools, toolChoice }: LanguageModelV4CallOptions): boolean {
  return (
    toolChoice?.type !== 'none' && (tools ?? []).some((tool) => tool.type === 'function' && tool.name === toolName)
  );
}

function toolCall(input: object): LanguageModelV4ToolCall {
  return { type: 'tool-call', toolCallId: randomUUID(), toolName, input: JSON.stringify(input) };
}

function reasonOf({ offer }: Answer): LanguageModelV4FinishReason {
  return { unified: offer ? 'tool-calls' : 'stop', raw: undefined };
}

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

async function* partsOf(
  given: Answer,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', id: randomUUID(), timestamp: new Date(), modelId };
  yield { type: 'text-start', id: 'text' };
  for (const [i, delta] of (given.text.match(piecePattern) ?? []).entries()) {
    if (i > 0 && i % piecesAtOnce === 0) await setImmediate();
    signal?.throwIfAborted();
    yield { type: 'text-delta', id: 'text', delta };
  }
  yield { type: 'text-end', id: 'text' };
  if (given.offer) yield toolCall(given.offer);
  yield { type: 'finish', usage, finishReason: reasonOf(given) };
}
