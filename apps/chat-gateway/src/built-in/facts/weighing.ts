import type { Concept } from '@relata/knowledge';
import { amountsIn } from './expected-figures.ts';
import type { Group } from './groups.ts';
import type { Fact } from './facts.ts';
import { sureness, type Wanted } from './wanted.ts';
import { isPrice } from './word-weights.ts';

/** How well a group answers. */
export interface Weight {
  /** Of each of its facts. */
  scores: number[];
  score: number;
  /** Whether each says something of what was asked for by name. */
  named: boolean[];
}

/** The weights of words in the headings above a fact, and in the title of its page. */
const headingWeight = 0.6;
const listHeadingWeight = 0.8;
const titleWeight = 0.3;

/** The weight of the other facts beside the best one. */
const besideWeight = 0.15;

/** The weight of a source relative to the one before it. */
const rankWeight = 0.8;

/** The first facts of a page, to which it adds that its title has what was asked for, and how much of it at least. */
const beginningPlaces = 2;
const titledMin = 0.5;

/** From this share of its words on, a title names what was asked for, even if the headings below it do not. */
const namedTitleMin = 0.5;

/** What it adds to the first of them where the question is what something is. */
const definitionWeight = 0.3;

/** What it adds that a fact has the figure that was asked for, or a number that was said. */
const figureWeight = 0.6;

/** What each fact adds that says something of what was asked for by name, and how surely it has to be that. */
const namedWeight = 0.4;
const nameMin = 0.5;

/** What each amount of money adds where a price was asked for, and how many count. */
const amountWeight = 0.1;
const amountsMax = 6;

/** Scores how well a group answers; the score is 0 if it contains nothing of what is wanted. */
export function weigh(group: Group, wanted: Wanted): Weight {
  const { facts, rank } = group;
  const scores = facts.all.map((fact) => scoreOf(fact, group, wanted));
  const named = facts.all.map(({ name }) => wanted.own.some((concept) => sureness(concept, name) > nameMin));
  const best = Math.max(...scores);
  if (best <= 0) return { scores, named, score: 0 };
  const beside = scores.reduce((all, score) => all + score, 0) - best;
  const headed = wanted.share((concept) => sureness(concept, facts.heading));
  const byName = namedWeight * named.filter(Boolean).length;
  const bonus = beginningOf(group, wanted) + headed ** 2 + moneyIn(group, wanted) + byName;
  const score = best + besideWeight * Math.min(beside, best) + wanted.most * bonus;
  return { scores, named, score: score * rankWeight ** rank };
}

/** An amount of money is what a question for the price is about. */
function scoreOf({ text, terms }: Fact, { facts, title }: Group, wanted: Wanted): number {
  const heading = facts.kind === 'paragraph' ? headingWeight : listHeadingWeight;
  const isAmount = wanted.price > 0 && amountsIn(text) > 0;
  const match = wanted.sum((concept) =>
    isAmount && isPrice(concept)
      ? 1
      : Math.max(
          sureness(concept, terms),
          heading * sureness(concept, facts.about),
          titleWeight * sureness(concept, title),
        ),
  );
  const asked = wanted.price === 0 && wanted.figure?.test(text) ? 1 : 0;
  const figures = asked + wanted.numbers.filter((number) => number.test(text)).length;
  return match > 0 ? match + figures * figureWeight * wanted.most : 0;
}

/** Scores what the title has of what was asked for, without what a heading below it has: that counts there. */
function beginningOf({ title, headings, place }: Group, wanted: Wanted): number {
  const definition = place === 0 && wanted.isDefinition ? definitionWeight : 0;
  if (place >= beginningPlaces) return definition;
  const isNamed = shareNamed(title, wanted.own) >= namedTitleMin;
  const titled = wanted.share((concept) =>
    !isNamed && sureness(concept, headings) >= sureness(concept, title) ? 0 : sureness(concept, title),
  );
  return (titled < titledMin ? 0 : titled ** 2) + definition;
}

function shareNamed(title: ReadonlySet<string>, concepts: readonly Concept[]): number {
  const said = [...title].filter((term) => concepts.some((concept) => concept.get(term) === 1));
  return said.length / title.size;
}

/** A page's list of prices has most of the amounts of money. */
function moneyIn({ facts }: Group, { price }: Wanted): number {
  if (price === 0) return 0;
  const count = facts.all.reduce((all, { text }) => all + amountsIn(text), 0);
  return price * amountWeight * Math.min(amountsMax, count);
}
