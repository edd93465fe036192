import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Source } from '@relata/knowledge';
import { demoToolName } from '../chat/instructions.ts';
import { streamingModel } from '../model/streaming-model.ts';
import { toStream } from '../to-stream.ts';
import { answer, type BuiltInAnswer } from './answer.ts';
import { type Turn, splitTurns } from './visitor/turns.ts';

const modelId = 'built-in';

/** Matches a piece of text that is streamed as one part. After `piecesAtOnce` such parts, other work gets a turn. */
const piecePattern = /(?:\S+\s*){1,4}|\s+/g;
const piecesAtOnce = 4;

export interface BuiltInQuestion {
  /** The conversation, which ends with the visitor's question. */
  turns: readonly Turn[];
  sources: readonly Source[];
}

/**
 * Creates a model for one question. It quotes the sources, and calls `offer_demo` if the visitor wants a demo. It uses
 * no network, ignores the prompt, costs no tokens, and fails only if it is aborted.
 */
export function builtInModel({ turns, sources }: BuiltInQuestion): LanguageModelV4 {
  return streamingModel({ provider: 'relata', modelId }, async ({ abortSignal }) => {
    abortSignal?.throwIfAborted();
    const given = answer({ turns: splitTurns(turns), sources });
    return { stream: toStream(partsOf(given, abortSignal)) };
  });
}

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

async function* partsOf(
  { text, offer }: BuiltInAnswer,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', id: randomUUID(), timestamp: new Date(), modelId };
  yield { type: 'text-start', id: 'text' };
  for (const [i, delta] of (text.match(piecePattern) ?? []).entries()) {
    if (i > 0 && i % piecesAtOnce === 0) await setImmediate();
    signal?.throwIfAborted();
    yield { type: 'text-delta', id: 'text', delta };
  }
  yield { type: 'text-end', id: 'text' };
  if (offer)
    yield { type: 'tool-call', toolCallId: randomUUID(), toolName: demoToolName, input: JSON.stringify(offer) };
  yield { type: 'finish', usage, finishReason: { unified: offer ? 'tool-calls' : 'stop', raw: undefined } };
}
