import { createWords, type Source, termsOf, type Vocabulary, type Words } from '@relata/knowledge';
import type { FactBlock } from './facts.ts';

/** A block of facts and its place in a source. */
export interface Group {
  source: number;
  /** The index among all groups of all sources. */
  position: number;
  facts: FactBlock;
  title: ReadonlySet<string>;
  /** The terms of all headings of the source. */
  headings: ReadonlySet<string>;
  /** The source's place among the sources, and the group's within its source, from 0. */
  rank: number;
  place: number;
}

/** All that the sources say, in their order. */
export function groupsOf(sources: readonly Source[], read: (passage: string) => readonly FactBlock[]): Group[] {
  return sources
    .flatMap(({ number, title, passages }, rank) => {
      const all = passages.flatMap(read);
      const headings = new Set(all.flatMap(({ heading }) => [...heading]));
      const terms = new Set(termsOf(title));
      return all.map((facts, place) => ({ source: number, facts, title: terms, headings, rank, place }));
    })
    .map((group, position) => ({ ...group, position }));
}

/** The words of the sources; they are collected only if a word of the question is not among the terms. */
export function vocabularyOf(groups: readonly Group[], sources: readonly Source[]): Vocabulary {
  let words: Words | undefined;
  return {
    hasTerm: (term) =>
      groups.some(
        ({ title, facts: { about, all } }) => title.has(term) || about.has(term) || all.some((s) => s.terms.has(term)),
      ),
    correct(word) {
      words ??= createWords(sources.flatMap(({ title, passages }) => [title, ...passages]));
      return words.nearest(word)?.word;
    },
  };
}
