import type { SlicedWork } from '@relata/schemas/time-slices';
import type { Knowledge } from './knowledge.ts';
import type { Source } from './search/sources.ts';
import { extractTerms } from './words/terms.ts';

/** A visitor's last message, and the message before it; `before` is empty if there is none. */
export interface QuestionInContext {
  question: string;
  before: string;
}

/** Matches the beginning of a follow-up question. "and can I cancel?" is an independent question. */
const followUp =
  /^\W*(?:(?:and |but |or )?(?:what about|how about|what if)|(?:and|but|or)(?! (?:is|are|do|does|did|can|could|will|would|where|when|who|how|what)\b)|why|how so|which one|for)\b/i;

/** Maximum length of a follow-up question, in words. A longer question is clear on its own. */
const wordsMax = 8;

/** Returns true if a question is unclear without the previous one: "and for teams?", "tell me more". */
export function isFollowUp(question: string): boolean {
  const words = question.trim().split(/\s+/).length;
  return (
    words <= wordsMax &&
    (followUp.test(question) || (words > 1 && extractTerms(question).length === 0) || asksOfIt(question))
  );
}

function asksOfIt(question: string): boolean {
  return /\b(?:it|that|this|more)\W*$/i.test(question) && new Set(extractTerms(question)).size < 2;
}

/** Finds the pages that a question is about; a follow-up question is searched together with the previous one. */
export function* sourcesInSlices(
  knowledge: Knowledge,
  { question, before }: QuestionInContext,
  orgId: string,
): SlicedWork<Source[]> {
  const together = () => knowledge.searchInSlices(`${before}\n${question}`, orgId);
  const first = before !== '' && isFollowUp(question) ? yield* together() : [];
  if (first.length > 0) return first;
  const found = yield* knowledge.searchInSlices(question, orgId);
  return found.length > 0 || before === '' ? found : yield* together();
}
