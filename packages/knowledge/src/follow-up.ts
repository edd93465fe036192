import type { Knowledge } from './knowledge.ts';
import type { Source } from './search/sources.ts';
import { termsOf } from './words/terms.ts';

/** What a visitor says last and what they said before that; empty at the beginning. */
export interface QuestionInContext {
  question: string;
  before: string;
}

/** Words with which a question goes on from the one before it; "and can I cancel?" is one of its own. */
const goesOn =
  /^\W*(?:(?:and |but |or )?(?:what about|how about|what if)|(?:and|but|or)(?! (?:is|are|do|does|did|can|could|will|would|where|when|who|how|what)\b)|why|how so|which one|for)\b/i;

/** Words of a question that goes on: what is longer says by itself what it is about. */
const wordsMax = 8;

/** Whether a question says little without the one before it: "and for teams?", "tell me more", "how much is it?" */
export function isFollowUp(question: string): boolean {
  const words = question.trim().split(/\s+/).length;
  return (
    words <= wordsMax && (goesOn.test(question) || (words > 1 && termsOf(question).length === 0) || asksOfIt(question))
  );
}

function asksOfIt(question: string): boolean {
  return /\b(?:it|that|this|more)\W*$/i.test(question) && new Set(termsOf(question)).size < 2;
}

/** The pages that a question is about, together with the question before it where it goes on from that. */
export function sourcesFor(knowledge: Knowledge, { question, before }: QuestionInContext, orgId: string): Source[] {
  const together = () => knowledge.search(`${before}\n${question}`, orgId);
  const first = before !== '' && isFollowUp(question) ? together() : [];
  if (first.length > 0) return first;
  const found = knowledge.search(question, orgId);
  return found.length > 0 || before === '' ? found : together();
}
