import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Source } from '@relata/knowledge';
import type { UIMessageChunk } from 'ai';
import { personPart, unansweredPart } from './contact-reason.ts';
import type { Ending, EndReason } from './ending.ts';
import { VisibleParts } from './visible-parts.ts';

export interface AnswerOptions {
  /** Parts of the answer from the SDK. */
  parts: ReadableStream<UIMessageChunk>;
  sources: readonly Source[];
  question: string;
  /** Returns true if the model cites all pages that it uses; called at the end. */
  citesAlways: () => boolean;
  ending: Ending;
  onFirstToken: () => void;
  /** Called once at the end of the answer, with the outcome. */
  onEnd: (outcome: 'finished' | 'failed' | EndReason) => void;
}

/** Texts for a visitor whose answer ends early, by reason. They contain no details; the cause is in the log. */
const endTexts = {
  failed: 'The answer could not be finished. Please ask again.',
  deadline: 'The answer took too long and was cut off. Please ask again.',
  stopping: 'The service is about to restart. Please ask again in a moment.',
} as const;

export const failedText = endTexts.failed;

/** Yields an answer for the visitor: its visible parts, the cited pages, and an error text if it ends early. */
export async function* answerParts(options: AnswerOptions): AsyncGenerator<UIMessageChunk, void, undefined> {
  const { ending, onEnd } = options;
  const reader = options.parts.getReader();
  const stop = () => void reader.cancel(ending.signal.reason).catch(() => {});
  ending.signal.addEventListener('abort', stop, { once: true });
  const visible = new VisibleParts();
  let isFinished = false;
  try {
    isFinished = yield* wholeAnswer(reader, visible, options);
    if (!isFinished) yield* earlyEnd(visible, ending.reason ?? 'failed');
  } finally {
    ending.signal.removeEventListener('abort', stop);
    stop();
    onEnd(isFinished ? 'finished' : (ending.reason ?? 'failed'));
  }
}

/**
 * Number of parts after which other work gets a turn. Otherwise a model that is faster than the network would delay
 * everybody else, including health checks.
 */
const partsInARow = 32;

/** Yields parts as they arrive; returns false if the answer is incomplete. */
async function* wholeAnswer(
  reader: ReadableStreamDefaultReader<UIMessageChunk>,
  visible: VisibleParts,
  { sources, question, citesAlways, onFirstToken }: AnswerOptions,
): AsyncGenerator<UIMessageChunk, boolean, undefined> {
  let passed = 0;
  const next = () => reader.read().catch(() => ({ done: true, value: undefined }) as const);
  for (;;) {
    const { done, value: part } = await next();
    if (done || part.type === 'error' || part.type === 'abort') return false;
    // An answer without any visible part counts as incomplete.
    if (part.type === 'finish' && visible.isEmpty) return false;
    if (part.type === 'text-delta' && visible.text === '') onFirstToken();
    const shown = visible.show(part);
    if (part.type === 'finish-step' && !visible.isEmpty) {
      yield* citations(visible.text, sources, visible.hasOffer || citesAlways());
      if (!visible.hasOffer) yield* unansweredPart(visible.text);
    }
    if (shown?.type === 'tool-input-available') yield* personPart(question);
    if (shown) yield shown;
    if (part.type === 'finish') return true;
    if (++passed % partsInARow === 0) await othersTurn();
  }
}

/** Yields an error text that tells the visitor why the answer ended early, unless the visitor has left. */
function* earlyEnd({ openText }: VisibleParts, reason: 'failed' | EndReason): Generator<UIMessageChunk, void> {
  if (reason === 'left') return;
  if (openText !== undefined) yield { type: 'text-end', id: openText };
  yield { type: 'error', errorText: endTexts[reason] };
  yield { type: 'finish', finishReason: 'error' };
}

/**
 * Yields the pages that a text cites in the form `[1]`. If the text cites none, yields all sources, unless
 * `isEachCited`.
 */
function* citations(text: string, sources: readonly Source[], isEachCited: boolean): Generator<UIMessageChunk, void> {
  const cited = new Set([...text.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  const pages = sources.filter(({ number }) => cited.has(number));
  const shown = pages.length > 0 || isEachCited ? pages : sources;
  for (const { number, url, title } of shown) yield { type: 'source-url', sourceId: String(number), url, title };
}
