import type { QuestionInContext, Source } from '@relata/knowledge';
import { type Group, groupsOf, vocabularyOf } from './groups.ts';
import type { FactBlock } from './facts.ts';
import { wantedOf } from './wanted.ts';
import { weigh, type Weight } from './weighing.ts';

/** FactBlock of one source and how well they answer a question. */
export type Selected = Group & Weight;

/** Finds the facts of the sources that answer a question, the best first; none if the sources do not contain its words. */
export function selectFacts(
  asked: QuestionInContext,
  sources: readonly Source[],
  read: (passage: string) => readonly FactBlock[],
): Selected[] {
  const groups = groupsOf(sources, read);
  const wanted = wantedOf(asked, groups, vocabularyOf(groups, sources));
  return groups
    .map((group) => ({ ...group, ...weigh(group, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}
