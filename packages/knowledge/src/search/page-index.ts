import MiniSearch, { type SearchResult } from 'minisearch';
import type { KnowledgePage } from '../pages/page.ts';
import type { Passage } from '../pages/passages.ts';
import { toTerm, splitWords } from '../words/terms.ts';
import { type Concept, wantedTerms } from './concepts.ts';

/** A passage that contains at least one of the terms of a question. */
export interface Hit {
  page: KnowledgePage;
  passage: Passage;
  score: number;
  /** Terms of the question found in the passage, its headings or the page's title. */
  terms: string[];
}

export interface Found {
  /** All hits, the best first. */
  hits: Hit[];
  /** Importance of each concept. It is higher if fewer passages contain one of its terms. */
  rarities: number[];
}

type PassageOfPage = Pick<Hit, 'page' | 'passage'>;

export type PageIndex = ReturnType<typeof createPageIndex>;

/** Searches several indexes as if they were one. */
export function searchPages(indexes: readonly PageIndex[], concepts: readonly Concept[]): Found {
  const hits = indexes.flatMap((index) => index.search(concepts)).toSorted((a, b) => b.score - a.score);
  const passageCount = indexes.reduce((count, { passages }) => count + passages.length, 0);
  return { hits, rarities: concepts.map((concept) => rarity(concept, hits, passageCount)) };
}

/** Indexes the passages of pages in memory. */
export function createPageIndex(pages: readonly KnowledgePage[]) {
  const passages = pages.flatMap((page) => page.passages.map((passage): PassageOfPage => ({ page, passage })));
  const index = new MiniSearch<{ id: number }>({
    fields: ['title', 'headings', 'text'],
    tokenize: splitWords,
    processTerm: toTerm,
    // Questions are already split into terms.
    searchOptions: { tokenize: (terms) => terms.split(' '), processTerm: (term) => term },
  });
  for (const [id, { page, passage }] of passages.entries()) {
    const fields = {
      title: page.title,
      headings: passage.headings.join('\n'),
      text: withoutAddresses(passage.markdown),
    };
    index.add({ id, ...fields });
  }
  return {
    passages,
    search(concepts: readonly Concept[]): Hit[] {
      const wanted = wantedTerms(concepts);
      const results = index.search([...wanted.keys()].join(' '), { boostTerm: (term) => wanted.get(term) ?? 1 });
      return results.map(({ id, score, terms }: SearchResult) => ({ ...passages[id as number]!, score, terms }));
    },
  };
}

/** Removes the addresses of links, since they say little about the page. */
function withoutAddresses(markdown: string): string {
  return markdown.replace(/\]\([^()\s]*\)/g, ']');
}

function rarity(concept: Concept, hits: readonly Hit[], passageCount: number): number {
  const count = hits.filter(({ terms }) => terms.some((term) => concept.has(term))).length;
  return Math.log(1 + (passageCount - count + 0.5) / (count + 0.5));
}
