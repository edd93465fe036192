import type { UIMessageChunk } from 'ai';
import { asksForPerson, isOffered } from '../built-in/visitor/demo-wish.ts';

/** Why a visitor may want a person: the pages do not hold the answer, or they asked for somebody and not for a demo. */
type ContactReason = 'unanswered' | 'person';

/** The one part that is not of the SDK's protocol: readers that do not know it pass it over. */
const contactPart = (reason: ContactReason): UIMessageChunk => ({ type: 'data-contact', data: { reason } });

const cites = /\[\d{1,2}\]/;

/** How a model says that it does not know, in English; in other languages the word "demo" shows what it asks. */
const unknown =
  /\b(?:do not|don['’]t|does not|doesn['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|have|find|answer|contain|mention)\b/i;

/**
 * What follows an answer without an answer: one that cites no page, and says that it does not know or, as the
 * instructions have it, asks whether to arrange a demo.
 */
export function* unansweredPart(text: string): Generator<UIMessageChunk, void> {
  if (cites.test(text)) return;
  if (isOffered(text) || unknown.test(text)) yield contactPart('unanswered');
}

/** Yields the part that precedes the form if the visitor asked for a person. */
export function* personPart(question: string): Generator<UIMessageChunk, void> {
  if (asksForPerson(question)) yield contactPart('person');
}
