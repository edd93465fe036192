import { type Concept, conceptsOf } from '../knowledge/concepts.ts';
import type { Source } from '../knowledge/knowledge.ts';
import { termsOf } from '../knowledge/terms.ts';
import type { Vocabulary } from '../knowledge/vocabulary.ts';
import { createWords, type Words } from '../knowledge/words.ts';
import { amountsIn, expectedFigures, numbersIn } from './expected-figures.ts';
import type { Statement, Statements } from './statements.ts';
import { isPrice, weightOf } from './word-weights.ts';

/** Statements of one source and how well they answer a question. */
export interface Selected {
  source: number;
  /** Where they stand among all that the sources say. */
  position: number;
  statements: Statements;
  /** Of each of them. */
  scores: number[];
  score: number;
  /** Whether each is a row that the question names. */
  named: boolean[];
}

interface Group extends Pick<Selected, 'source' | 'position' | 'statements'> {
  title: ReadonlySet<string>;
  /** The terms of all headings of the source. */
  headings: ReadonlySet<string>;
  /** The source's place among the sources, and the group's within its source, from 0. */
  rank: number;
  place: number;
}

/** How much it counts that what was asked for stands in the headings above a statement, or in its page's title. */
const headingWeight = 0.6;
const listHeadingWeight = 0.8;
const titleWeight = 0.3;

/** What the others beside the best statement add. */
const besideWeight = 0.15;

/** What a source counts beside the one before it. */
const rankWeight = 0.8;

/** What it adds to a page's first statements, and to those after them, that its title has all that was asked for. */
const beginningWeights = [1, 0.8];

/** What it adds to them where the question is what something is. */
const definitionWeight = 0.3;

const asksWhatItIs = /^\W*(?:what|who)(?:['’]?s| is| are| does| do)\b/i;

/** What it adds that the heading right above has all that was asked for. */
const headedWeight = 1;

/** What it adds that a statement has a number where one was asked for. */
const figureWeight = 0.6;

/** How surely the first cell of a row has to be what was asked for. */
const nameMin = 0.5;

/** What each amount of money adds where a price was asked for, and how many count. */
const amountWeight = 0.1;
const amountsMax = 6;

/** What the words of the question before count beside those of a question that goes on from it. */
const beforeWeight = 0.6;

/** What is asked, and before that, if it is to be answered together with it. */
interface Asked {
  question: string;
  before?: string | undefined;
}

/** Finds what the sources say about a question, the best first; none where nothing that was asked for stands there. */
export function selectStatements(
  { question, before }: Asked,
  sources: readonly Source[],
  read: (passage: string) => readonly Statements[],
): Selected[] {
  const groups = groupsOf(sources, read);
  const vocabulary = vocabularyOf(groups, sources);
  const concepts = conceptsOf(question, vocabulary);
  const earlier = before === undefined ? [] : without(conceptsOf(before, vocabulary), concepts);
  const definition = asksWhatItIs.test(question) ? definitionWeight : 0;
  const weigh = weighing(concepts, earlier, groups, {
    figure: expectedFigures(question),
    numbers: numbersIn(question),
    definition,
  });
  return groups
    .map((group) => ({ ...group, ...weigh(group) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

function without(concepts: readonly Concept[], known: readonly Concept[]): Concept[] {
  const terms = new Set(known.map((concept) => concept.keys().next().value));
  return concepts.filter((concept) => !terms.has(concept.keys().next().value));
}

function groupsOf(sources: readonly Source[], read: (passage: string) => readonly Statements[]): Group[] {
  return sources
    .flatMap(({ number, title, passages }, rank) => {
      const all = passages.flatMap(read);
      const headings = new Set(all.flatMap(({ heading }) => [...heading]));
      const terms = new Set(termsOf(title));
      return all.map((statements, place) => ({ source: number, statements, title: terms, headings, rank, place }));
    })
    .map((group, position) => ({ ...group, position }));
}

/** Makes the function that tells how well a group answers. */
function weighing(
  asked: readonly Concept[],
  earlier: readonly Concept[],
  groups: readonly Group[],
  { figure, numbers, definition }: { figure: RegExp | undefined; numbers: readonly RegExp[]; definition: number },
) {
  const concepts = [...asked, ...earlier];
  const weights = concepts.map(
    (concept, i) => rarityOf(concept, groups) * weightOf(concept) * (i < asked.length ? 1 : beforeWeight),
  );
  const most = Math.max(0, ...weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const sum = (value: (concept: Concept) => number) => concepts.reduce((all, c, i) => all + weights[i]! * value(c), 0);
  const price = sum((c) => (isPrice(c) ? 1 : 0)) / total;
  return ({ statements, title, headings, rank, place }: Group): Pick<Selected, 'scores' | 'score' | 'named'> => {
    const heading = statements.kind === 'paragraph' ? headingWeight : listHeadingWeight;
    const around = (c: Concept) => Math.max(heading * sureness(c, statements.about), titleWeight * sureness(c, title));
    const ofPage = (c: Concept) => (sureness(c, headings) >= sureness(c, title) ? 0 : sureness(c, title));
    const titled = sum(ofPage) / total;
    const headed = sum((c) => sureness(c, statements.heading)) / total;
    const beginning = titled ** 2 * (beginningWeights[place] ?? 0) + (place === 0 ? definition : 0);
    const amounts = statements.all.map(({ text }) => (price > 0 ? amountsIn(text) : 0));
    const scores = statements.all.map(({ terms, text }: Statement, i) => {
      const isAmount = amounts[i]! > 0;
      const match = sum((c) => (isAmount && isPrice(c) ? 1 : Math.max(sureness(c, terms), around(c))));
      const figures = (price === 0 && figure?.test(text) ? 1 : 0) + numbers.filter((one) => one.test(text)).length;
      return match > 0 ? match + figures * figureWeight * most : match;
    });
    const best = Math.max(...scores);
    const beside = scores.reduce((all, score) => all + score, 0) - best;
    const money =
      amountWeight *
      Math.min(
        amountsMax,
        amounts.reduce((all, count) => all + count, 0),
      );
    const bonus = best > 0 ? most * (beginning + headedWeight * headed ** 2 + price * money) : 0;
    const score = (best + besideWeight * Math.min(beside, best) + bonus) * rankWeight ** rank;
    const named = statements.all.map(({ name }) => asked.some((c) => sureness(c, name) > nameMin));
    return { scores, score, named };
  };
}

function sureness(concept: Concept, terms: ReadonlySet<string>): number {
  let most = 0;
  for (const [term, sure] of concept) if (sure > most && terms.has(term)) most = sure;
  return most;
}

/** How much a concept says: the more the fewer statements have it. */
function rarityOf(concept: Concept, groups: readonly Group[]): number {
  let [count, of] = [0, 0];
  for (const { statements } of groups) {
    for (const { terms } of statements.all) if (sureness(concept, terms) > 0) count += 1;
    of += statements.all.length;
  }
  return Math.log(1 + (of - count + 0.5) / (count + 0.5));
}

/** The words of the sources; they are gathered only where a word of the question is none of them. */
function vocabularyOf(groups: readonly Group[], sources: readonly Source[]): Vocabulary {
  let words: Words | undefined;
  return {
    hasTerm: (term) =>
      groups.some(
        ({ title, statements: { about, all } }) =>
          title.has(term) || about.has(term) || all.some((s) => s.terms.has(term)),
      ),
    correct(word) {
      words ??= createWords(sources.flatMap(({ title, passages }) => [title, ...passages]));
      return words.nearest(word)?.word;
    },
  };
}
