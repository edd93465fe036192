import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Source } from '@relata/knowledge';
import { demoToolName } from '../chat/instructions.ts';
import { streamingModel } from '../model/streaming-model.ts';
import { streamOf } from '../stream-of.ts';
import { answer, type BuiltInAnswer } from './answer.ts';
import { factReader } from './facts/facts.ts';
import { type Turn, turnsOf } from './visitor/turns.ts';

const modelId = 'built-in';

/** The words of a streamed piece, and how many pieces are streamed before other work gets a turn. */
const piecePattern = /(?:\S+\s*){1,4}|\s+/g;
const piecesAtOnce = 4;

/** What the built-in model answers. */
export interface BuiltInQuestion {
  /** Ends with what the visitor asks. */
  turns: readonly Turn[];
  sources: readonly Source[];
  /** Whether there is a form to offer; false makes it point to the website. */
  canOffer: boolean;
}

/**
 * A model that needs no network: it answers with what the sources say, and where a visitor wants a demo calls
 * `offer_demo`. It is handed the question itself and reads nothing of a prompt. It costs no tokens and never fails.
 */
export function createBuiltInModel(): (question: BuiltInQuestion) => LanguageModelV4 {
  const read = factReader();
  return ({ turns, sources, canOffer }) =>
    streamingModel({ provider: 'relata', modelId }, async ({ abortSignal }) => {
      abortSignal?.throwIfAborted();
      const given = answer({ turns: turnsOf(turns), sources, canOffer }, read);
      return { stream: streamOf(partsOf(given, abortSignal)) };
    });
}

function toolCall(input: object): LanguageModelV4ToolCall {
  return { type: 'tool-call', toolCallId: randomUUID(), toolName: demoToolName, input: JSON.stringify(input) };
}

function reasonOf({ offer }: BuiltInAnswer): LanguageModelV4FinishReason {
  return { unified: offer ? 'tool-calls' : 'stop', raw: undefined };
}

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

async function* partsOf(
  given: BuiltInAnswer,
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
