import type { UIMessageChunk } from 'ai';
import type { Source } from '../knowledge/knowledge.ts';
import { demoToolName } from './instructions.ts';
import type { Ending, EndReason } from './ending.ts';

export interface AnswerOptions {
  /** What the model's SDK makes of the answer. */
  parts: ReadableStream<UIMessageChunk>;
  sources: readonly Source[];
  /** Whether a page that is not cited was not used; asked at the end. */
  citesAlways: () => boolean;
  ending: Ending;
  onFirstToken: () => void;
  /** Told once, at the end: whether the answer is whole. */
  onEnd: (outcome: 'finished' | 'failed' | EndReason) => void;
}

/** What a visitor is told where an answer ends early. The texts are fixed: what went wrong is for the log. */
const lastWords = {
  failed: 'The answer could not be finished. Please ask again.',
  deadline: 'The answer took too long and was cut off. Please ask again.',
  stopping: 'The service is about to restart. Please ask again in a moment.',
} as const;

export const failedText = lastWords.failed;

/**
 * The parts of an answer that a visitor's page gets: text, the offer of a demo, the pages that were cited, and how it
 * ended. Whatever else a model sends, sources of its own among it, stays here.
 */
export async function* answerParts(options: AnswerOptions): AsyncGenerator<UIMessageChunk, void, undefined> {
  const { sources, citesAlways, ending, onFirstToken, onEnd } = options;
  const reader = options.parts.getReader();
  const next = () => reader.read().catch(() => ({ done: true, value: undefined }) as const);
  const stop = () => void reader.cancel(ending.signal.reason).catch(() => {});
  ending.signal.addEventListener('abort', stop, { once: true });
  let text = '';
  let isOffered = false;
  let openText: string | undefined;
  let outcome: 'finished' | 'failed' | EndReason = 'failed';
  try {
    for (;;) {
      const { done, value: part } = await next();
      if (done || part.type === 'error' || part.type === 'abort') break;
      const shown = visible(part);
      if (!shown) continue;
      if (shown.type === 'text-start') openText = shown.id;
      if (shown.type === 'text-end') openText = undefined;
      if (shown.type === 'text-delta' && text === '') onFirstToken();
      if (shown.type === 'text-delta') text += shown.delta;
      if (shown.type === 'finish-step') yield* citations(text, sources, isOffered || citesAlways());
      if (shown.type === 'tool-input-available') isOffered = true;
      if (shown.type === 'finish') {
        // Nothing that anybody could see is no answer.
        if (text === '' && !isOffered) break;
        outcome = 'finished';
      }
      yield shown;
    }
    if (outcome === 'finished') return;
    outcome = ending.reason ?? 'failed';
    if (openText !== undefined) yield { type: 'text-end', id: openText };
    if (outcome === 'left') return;
    yield { type: 'error', errorText: lastWords[outcome] };
    yield { type: 'finish', finishReason: 'error' };
  } finally {
    ending.signal.removeEventListener('abort', stop);
    stop();
    onEnd(outcome === 'failed' ? (ending.reason ?? outcome) : outcome);
  }
}

/** A part as it may leave, without what the provider attached to it. */
function visible(part: UIMessageChunk): UIMessageChunk | undefined {
  switch (part.type) {
    case 'start':
    case 'start-step':
    case 'finish-step':
      return { type: part.type };
    case 'text-start':
    case 'text-end':
      return { type: part.type, id: part.id };
    case 'text-delta':
      return { type: part.type, id: part.id, delta: part.delta };
    case 'tool-input-available':
      return part.toolName === demoToolName ? demoOffer(part) : undefined;
    case 'finish':
      return { type: part.type, ...(part.finishReason && { finishReason: part.finishReason }) };
    default:
      return undefined;
  }
}

function demoOffer({ toolCallId, input }: Extract<UIMessageChunk, { type: 'tool-input-available' }>): UIMessageChunk {
  return { type: 'tool-input-available', toolCallId, toolName: demoToolName, input };
}

/** The pages that the text cites; where it cites none, those that it was written from, unless it needed none. */
function* citations(
  text: string,
  sources: readonly Source[],
  isSilenceMeant: boolean,
): Generator<UIMessageChunk, void> {
  const cited = new Set([...text.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  const pages = sources.filter(({ number }) => cited.has(number));
  const shown = pages.length > 0 || isSilenceMeant ? pages : sources;
  for (const { number, url, title } of shown) yield { type: 'source-url', sourceId: String(number), url, title };
}
