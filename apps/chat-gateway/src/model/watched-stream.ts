import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Begun } from './beginning.ts';
import type { TokenCount } from './stream-with-fallback.ts';
import { ModelError } from './model-error.ts';

export interface Watch {
  /** Longest silence. */
  stallMs: number;
  /** What the model may write however it counts its tokens, in UTF-16 units. */
  outputUnitsMax: number;
  onUsage: (tokens: TokenCount) => void;
}

/**
 * The rest of an answer that has begun. It fails where nothing comes for too long, where the model writes without end,
 * and where the stream is over before the model said that it was.
 */
export function watched(
  begun: Begun,
  { stallMs, outputUnitsMax, onUsage }: Watch,
): ReadableStream<LanguageModelV4StreamPart> {
  const { parts, reader, stop } = begun;
  const tokens: TokenCount = { reported: undefined, outputCharacters: 0 };
  let isOver = false;
  const end = () => {
    if (!isOver) onUsage(tokens);
    isOver = true;
  };
  const note = (part: LanguageModelV4StreamPart) => {
    tokens.outputCharacters += lengthOf(part);
    if (part.type === 'finish') tokens.reported = reportedTokens(part);
  };
  const next = async () => {
    const held = parts.shift();
    if (held) return held;
    const timer = setTimeout(() => stop(new ModelError('The model fell silent.')), stallMs);
    try {
      const { done, value } = await reader.read();
      return done ? undefined : value;
    } finally {
      clearTimeout(timer);
    }
  };
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull(controller) {
      try {
        const part = await next();
        if (!part) throw new ModelError('The stream of the model was cut off.');
        note(part);
        if (tokens.outputCharacters > outputUnitsMax) throw new ModelError('The model writes without end.');
        if (part.type === 'finish' && !isComplete(part)) throw new ModelError('The answer of the model was cut off.');
        controller.enqueue(part);
        if (part.type !== 'finish') return;
        end();
        controller.close();
      } catch (error) {
        stop(error);
        end();
        // As a part, which is told of and ends the answer in order; a stream that breaks would not.
        controller.enqueue({ type: 'error', error });
        controller.close();
      }
    },
    cancel(reason) {
      stop(reason);
      end();
      return reader.cancel(reason).catch(() => {});
    },
  });
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** A connection that is closed early looks like an end, but for the reason that the model gives for its own. */
function isComplete({ finishReason: { unified, raw } }: Finish): boolean {
  return unified !== 'interrupted' && unified !== 'error' && !(unified === 'other' && raw === undefined);
}

function reportedTokens({ usage: { inputTokens, outputTokens } }: Finish): number | undefined {
  return inputTokens.total === undefined && outputTokens.total === undefined
    ? undefined
    : (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
}

/** Reasoning and the tool's input are written, and paid for, too. */
function lengthOf(part: LanguageModelV4StreamPart): number {
  return 'delta' in part ? part.delta.length : 0;
}
