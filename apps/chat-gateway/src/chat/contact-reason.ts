import type { UIMessageChunk } from 'ai';
import { asksForPerson, isOffered } from '../built-in/visitor/demo-wish.ts';

/**
 * Reason why a visitor may want a person: the pages do not contain the answer, or they asked for somebody and not for a
 * demo.
 */
type ContactReason = 'unanswered' | 'person';

/** Returns the only custom part in the SDK's protocol; readers that do not know it skip it. */
const contactPart = (reason: ContactReason): UIMessageChunk => ({ type: 'data-contact', data: { reason } });

const cites = /\[\d{1,2}\]/;

/**
 * Phrases with which a model says in English that it does not know; in other languages its question about a demo shows
 * it.
 */
const unknown =
  /\b(?:do not|don['’]t|does not|doesn['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|have|find|answer|contain|mention)\b/i;

/**
 * Yields the mark for an answer that does not answer: it cites no page, and says that it does not know or, as
 * instructed, asks whether to arrange a demo.
 */
export function* unansweredPart(text: string): Generator<UIMessageChunk, void> {
  if (cites.test(text)) return;
  if (isOffered(text) || unknown.test(text)) yield contactPart('unanswered');
}

/** Yields the part that precedes the form if the visitor asked for a person. */
export function* personPart(question: string): Generator<UIMessageChunk, void> {
  if (asksForPerson(question)) yield contactPart('person');
}
