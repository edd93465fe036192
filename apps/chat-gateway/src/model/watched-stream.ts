import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Begun } from './beginning.ts';
import { ModelError } from './model-error.ts';
import type { TokenCount } from './stream-with-fallback.ts';

export interface Watch {
  /** Longest silence. */
  stallMs: number;
  /** What the model may write however it counts its tokens. */
  outputBytesMax: number;
  onUsage: (tokens: TokenCount) => void;
}

/**
 * The rest of an answer that has begun. It fails where nothing comes for too long, where the model writes without end,
 * and where the stream is over before the model said that it was. The failure is a part, which is told of and ends the
 * answer in order; a stream that breaks would not.
 */
export async function* watched(begun: Begun, watch: Watch): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const tokens: TokenCount = { reported: undefined, outputBytes: 0 };
  let isWhole = false;
  try {
    for (;;) {
      const part = await nextOf(begun, watch.stallMs);
      count(part, tokens);
      if (tokens.outputBytes > watch.outputBytesMax) throw new ModelError('The model writes without end.');
      isWhole = part.type === 'finish';
      yield part;
      if (isWhole) return;
    }
  } catch (error) {
    yield { type: 'error', error };
  } finally {
    // Whoever stops reading stops the model.
    if (!isWhole) begun.stop(new ModelError('The answer is over.'));
    watch.onUsage(tokens);
  }
}

async function nextOf({ parts, reader, stop }: Begun, stallMs: number): Promise<LanguageModelV4StreamPart> {
  const held = parts.shift();
  if (held) return held;
  const timer = setTimeout(() => stop(new ModelError('The model fell silent.')), stallMs);
  try {
    const { done, value: part } = await reader.read();
    if (done || (part.type === 'finish' && !isComplete(part))) throw new ModelError('The model broke off.');
    return part;
  } finally {
    clearTimeout(timer);
  }
}

type Finish = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** A connection that is closed early looks like an end, but for the reason that the model gives for its own. */
function isComplete({ finishReason: { unified, raw } }: Finish): boolean {
  return unified !== 'interrupted' && unified !== 'error' && !(unified === 'other' && raw === undefined);
}

/** Reasoning and the tool's input are written, and paid for, too. */
function count(part: LanguageModelV4StreamPart, tokens: TokenCount): void {
  if ('delta' in part) tokens.outputBytes += Buffer.byteLength(part.delta);
  if (part.type !== 'finish') return;
  const { inputTokens, outputTokens } = part.usage;
  if (inputTokens.total === undefined && outputTokens.total === undefined) return;
  tokens.reported = (inputTokens.total ?? 0) + (outputTokens.total ?? 0);
}
