import type { SlicedWork } from '@relata/schemas/time-slices';
import MiniSearch from 'minisearch';
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
  /** All hits, in any order. */
  hits: Hit[];
  /** Importance of each concept. It is higher if fewer passages contain one of its terms. */
  rarities: number[];
}

type PassageOfPage = Pick<Hit, 'page' | 'passage'>;

export type PageIndex = ReturnType<typeof createPageIndex>;

/** Maximum number of passages that are searched for a term in a step. */
const passagesInStep = 5_000;

/** Searches several indexes as if they were one. */
export function* searchPages(indexes: readonly PageIndex[], concepts: readonly Concept[]): SlicedWork<Found> {
  const hits: Hit[] = [];
  for (const index of indexes) for (const hit of yield* index.search(concepts)) hits.push(hit);
  const passageCount = indexes.reduce((count, { passages }) => count + passages.length, 0);
  const rarities: number[] = [];
  for (const concept of concepts) {
    yield;
    rarities.push(rarity(concept, hits, passageCount));
  }
  return { hits, rarities };
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
    /** Scores passages like a MiniSearch query for all terms, but in short steps. */
    *search(concepts: readonly Concept[]): SlicedWork<Iterable<Hit>> {
      const hits = new Map<number, Hit>();
      for (const [term, sureness] of wantedTerms(concepts)) {
        for (let from = 0; from < passages.length; from += passagesInStep) {
          yield;
          const boostDocument = (id: number) => (id >= from && id < from + passagesInStep ? sureness : 0);
          for (const { id, score } of index.search(term, { boostDocument })) {
            const hit = hits.get(id) ?? { ...passages[id]!, score: 0, terms: [] };
            hit.score += score;
            hit.terms.push(term);
            hits.set(id, hit);
          }
        }
      }
      yield;
      for (const hit of hits.values()) hit.score *= hit.terms.length;
      return hits.values();
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
