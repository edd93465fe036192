import type { SlicedWork } from '@relata/schemas/time-slices';
import { isMisspeltStopWord } from '../words/stop-words.ts';
import { toTerm, splitWords } from '../words/terms.ts';
import { relatedTo } from '../words/thesaurus.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A subject of a question: its search terms, each with a certainty from 0 to 1. */
export type Concept = ReadonlyMap<string, number>;

/**
 * Limits of a search, since its time grows with the number of terms. Visitors' questions rarely have more than 8
 * concepts.
 */
const conceptsMax = 16;
const termsMax = 64;
const correctionsMax = 8;

/** Units of time. A short number is searched only before such a unit: in "21 days", but not in "12 users". */
const spanPattern = /^(?:minute|hour|day|week|month|year)s?$/;

/** Certainty that a related word, or a corrected spelling, means the same. */
const relatedWeight = 0.5;
const correctedWeight = 0.6;

/** Returns the subjects of a question: its words, their synonyms, and likely spellings of unknown words. */
export function* findConcepts(question: string, vocabulary: Vocabulary): SlicedWork<Concept[]> {
  const said = splitWords(question);
  const spans = new Set(said.filter((_, i) => spanPattern.test(said[i + 1] ?? '')));
  const words = new Map(said.map((word) => [toTerm(word), word] as const));
  words.delete(null);
  const concepts: Concept[] = [];
  let [terms, corrections] = [0, 0];
  for (const [term, word] of words) {
    if (term === null || concepts.length >= conceptsMax || terms >= termsMax) break;
    const isShort = term.length < 3 && !spans.has(word);
    if (/^\p{N}/u.test(term) && (isShort || !vocabulary.hasTerm(term))) continue;
    if (!vocabulary.hasTerm(term) && isMisspeltStopWord(word)) continue;
    const isKnown = [term, ...relatedTo(term)].some((known) => vocabulary.hasTerm(known));
    const correct = isKnown || ++corrections > correctionsMax ? undefined : yield* vocabulary.correct(word);
    const concept = conceptOf(term, correct === undefined ? null : toTerm(correct));
    terms += concept.size;
    concepts.push(concept);
  }
  return concepts;
}

function conceptOf(term: string, corrected: string | null): Concept {
  const concept = new Map([[term, 1]]);
  const [stem, sureness] = corrected === null ? [term, 1] : [corrected, correctedWeight];
  if (!concept.has(stem)) concept.set(stem, sureness);
  for (const related of relatedTo(stem)) if (!concept.has(related)) concept.set(related, sureness * relatedWeight);
  return concept;
}

/** Returns all terms to look for, with their certainty. A term of several concepts gets its highest certainty. */
export function wantedTerms(concepts: readonly Concept[]): Map<string, number> {
  const wanted = new Map<string, number>();
  for (const [term, sureness] of concepts.flatMap((concept) => [...concept])) {
    wanted.set(term, Math.max(sureness, wanted.get(term) ?? 0));
  }
  return wanted;
}
