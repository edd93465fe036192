import type { UIMessageChunk } from 'ai';
import { asksForPerson, isOffered } from '../built-in/visitor/demo-wish.ts';

/**
 * Reason why a visitor may want to talk to a person: the pages do not contain the answer, or the visitor asked for a
 * person rather than a demo.
 */
type ContactReason = 'unanswered' | 'person';

/** Creates the only part that extends the SDK's protocol. Clients that do not know it skip it. */
const contactPart = (reason: ContactReason): UIMessageChunk => ({ type: 'data-contact', data: { reason } });

const cites = /\[\d{1,2}\]/;

/**
 * English phrases with which a model says that it does not know. In other languages, only the model's offer to arrange
 * a demo indicates this.
 */
const unknown =
  /\b(?:do not|don['’]t|does not|doesn['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|have|find|answer|contain|mention)\b/i;

/**
 * Yields the part that marks a question as unanswered, if the answer cites no page, and says that the assistant does
 * not know or asks whether to arrange a demo. The model's instructions demand both for such questions.
 */
export function* unansweredPart(text: string): Generator<UIMessageChunk, void> {
  if (cites.test(text)) return;
  if (isOffered(text) || unknown.test(text)) yield contactPart('unanswered');
}

/** Yields a contact part if the visitor asked for a person; it precedes the form. */
export function* personPart(question: string): Generator<UIMessageChunk, void> {
  if (asksForPerson(question)) yield contactPart('person');
}
