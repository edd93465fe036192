import { type Concept, conceptsOf } from '../knowledge/concepts.ts';
import type { Source } from '../knowledge/knowledge.ts';
import { termsOf } from '../knowledge/terms.ts';
import type { Vocabulary } from '../knowledge/vocabulary.ts';
import { createWords, type Words } from '../knowledge/words.ts';
import { expectedFigures } from './expected-figures.ts';
import type { Statement, Statements } from './statements.ts';

/** Statements of one source and how well they answer a question. */
export interface Selected {
  source: number;
  /** Where they stand among all that the sources say. */
  position: number;
  statements: Statements;
  /** Of each of them. */
  scores: number[];
  score: number;
}

interface Group extends Pick<Selected, 'source' | 'position' | 'statements'> {
  title: ReadonlySet<string>;
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
const beginningWeights = [1, 0.6];

/** What it adds to them where the question is what something is. */
const definitionWeight = 0.5;

const asksWhatItIs = /^\W*(?:what|who)(?:['’]?s| is| are| does| do)\b/i;

/** What it adds that a statement has the kind of figure that was asked for. */
const figureWeight = 0.6;

/** Finds what the sources say about a question, the best first; none where nothing that was asked for stands there. */
export function selectStatements(
  question: string,
  sources: readonly Source[],
  read: (passage: string) => readonly Statements[],
): Selected[] {
  const groups = groupsOf(sources, read);
  const concepts = conceptsOf(question, vocabularyOf(groups, sources));
  const definition = asksWhatItIs.test(question) ? definitionWeight : 0;
  const weigh = weighing(concepts, groups, { figures: expectedFigures(question), definition });
  return groups
    .map((group) => ({ ...group, ...weigh(group) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

function groupsOf(sources: readonly Source[], read: (passage: string) => readonly Statements[]): Group[] {
  return sources
    .flatMap(({ number, title, passages }, rank) => {
      const terms = new Set(termsOf(title));
      return passages
        .flatMap(read)
        .map((statements, place) => ({ source: number, statements, title: terms, rank, place }));
    })
    .map((group, position) => ({ ...group, position }));
}

/** Makes the function that tells how well a group answers. */
function weighing(
  concepts: readonly Concept[],
  groups: readonly Group[],
  { figures, definition }: { figures: RegExp | undefined; definition: number },
) {
  const weights = concepts.map((concept) => rarityOf(concept, groups));
  const most = Math.max(0, ...weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sum = (value: (concept: Concept) => number) => concepts.reduce((all, c, i) => all + weights[i]! * value(c), 0);
  return ({ statements, title, rank, place }: Group): Pick<Selected, 'scores' | 'score'> => {
    const heading = statements.kind === 'paragraph' ? headingWeight : listHeadingWeight;
    const around = (c: Concept) => Math.max(heading * sureness(c, statements.about), titleWeight * sureness(c, title));
    const titled = sum((c) => sureness(c, title)) / (total || 1);
    const beginning = most * (titled ** 2 * (beginningWeights[place] ?? 0) + (place === 0 ? definition : 0));
    const scores = statements.all.map(({ terms, text }: Statement) => {
      const match = sum((c) => Math.max(sureness(c, terms), around(c)));
      return match > 0 && figures?.test(text) ? match + figureWeight * most : match;
    });
    const best = Math.max(...scores);
    const beside = scores.reduce((all, score) => all + score, 0) - best;
    const score = best + besideWeight * Math.min(beside, best) + (best > 0 ? beginning : 0);
    return { scores, score: score * rankWeight ** rank };
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
