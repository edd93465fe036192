import { type Concept, conceptsOf, type QuestionInContext, type Vocabulary } from '@relata/knowledge';
import { expectedFigures, numbersIn } from './expected-figures.ts';
import type { Group } from './groups.ts';
import { isPrice, weightOf } from './word-weights.ts';

/** What an answer has to be about. */
export interface Wanted {
  /** What the question itself is about, without the one before it. */
  own: readonly Concept[];
  /** What the concept that says most counts. */
  most: number;
  /** The share of what is asked that is the price, 0 to 1. */
  price: number;
  /** What a fact has in it that is a figure of the kind asked for, if one is; and the numbers that were said. */
  figure: RegExp | undefined;
  numbers: readonly RegExp[];
  /** Whether the question is what or who something is. */
  isDefinition: boolean;
  /** Adds up what each concept is worth, times what it counts. */
  sum(value: (concept: Concept) => number): number;
  /** The same as a share of all that is asked, 0 to 1. */
  share(value: (concept: Concept) => number): number;
}

/** The weight of words of the previous question beside those of a follow-up question. */
const beforeWeight = 0.6;

const asksWhatItIs = /^\W*(?:what|who)(?:['’]?s| is| are| does| do)\b/i;

/** Reads off a question what is wanted, each word weighed by how rare it is in the groups. */
export function wantedOf(
  { question, before }: QuestionInContext,
  groups: readonly Group[],
  vocabulary: Vocabulary,
): Wanted {
  const own = conceptsOf(question, vocabulary);
  const earlier = before === '' ? [] : without(conceptsOf(before, vocabulary), own);
  const concepts = [...own, ...earlier];
  const weights = concepts.map(
    (concept, i) => rarityOf(concept, groups) * weightOf(concept) * (i < own.length ? 1 : beforeWeight),
  );
  const total = weights.reduce((all, weight) => all + weight, 0) || 1;
  const sum: Wanted['sum'] = (value) => concepts.reduce((all, concept, i) => all + weights[i]! * value(concept), 0);
  const share: Wanted['share'] = (value) => sum(value) / total;
  return {
    own,
    most: Math.max(0, ...weights),
    price: share((concept) => (isPrice(concept) ? 1 : 0)),
    figure: expectedFigures(question),
    numbers: numbersIn(question),
    isDefinition: asksWhatItIs.test(question),
    sum,
    share,
  };
}

function without(concepts: readonly Concept[], known: readonly Concept[]): Concept[] {
  const terms = new Set(known.map((concept) => concept.keys().next().value));
  return concepts.filter((concept) => !terms.has(concept.keys().next().value));
}

/** How surely one of these terms is what a concept means: 0 to 1. */
export function sureness(concept: Concept, terms: ReadonlySet<string>): number {
  let most = 0;
  for (const [term, sure] of concept) if (sure > most && terms.has(term)) most = sure;
  return most;
}

/** How much a concept says: the more the fewer facts have it. */
function rarityOf(concept: Concept, groups: readonly Group[]): number {
  let [count, of] = [0, 0];
  for (const { facts } of groups) {
    for (const { terms } of facts.all) if (sureness(concept, terms) > 0) count += 1;
    of += facts.all.length;
  }
  return Math.log(1 + (of - count + 0.5) / (count + 0.5));
}
