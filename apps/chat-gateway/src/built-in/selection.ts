import type { Source } from '@relata/knowledge';
import { type Group, groupsOf, vocabularyOf } from './groups.ts';
import type { Statements } from './statements.ts';
import { type Asked, wantedOf } from './wanted.ts';
import { weigh, type Weight } from './weighing.ts';

/** Statements of one source and how well they answer a question. */
export type Selected = Group & Weight;

/** Finds what the sources say about a question, the best first; none where nothing that was asked for stands there. */
export function selectStatements(
  asked: Asked,
  sources: readonly Source[],
  read: (passage: string) => readonly Statements[],
): Selected[] {
  const groups = groupsOf(sources, read);
  const wanted = wantedOf(asked, groups, vocabularyOf(groups, sources));
  return groups
    .map((group) => ({ ...group, ...weigh(group, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}
