import type { KnowledgePage } from '../pages/page.ts';
import type { Concept } from './concepts.ts';
import type { Found, Hit } from './page-index.ts';

const pagesMax = 3;
const passagesMax = 3;

/** Share of a question that a page must cover. It was chosen by measurement (`search-quality.test.ts`). */
const coverageMin = 0.46;

/** Share of the best page's coverage below which a page is left out. */
const shareMin = 0.3;

/**
 * Returns the best passages of at most 3 pages that are about the question, the best page first. Returns none if even
 * the best pages cover too little of the question.
 */
export function relevantPages(concepts: readonly Concept[], { hits, rarities }: Found): Hit[][] {
  const pages = bestPages(hits).map((page) => bestHits(hits, page));
  const coverages = pages.map((own) => coverage(concepts, rarities, own));
  const most = Math.max(0, ...coverages);
  return most < coverageMin ? [] : pages.filter((_, i) => coverages[i]! >= most * shareMin);
}

function bestPages(hits: readonly Hit[]): KnowledgePage[] {
  const scores = new Map<KnowledgePage, number>();
  for (const { page, score } of hits) {
    if (score <= (scores.get(page) ?? 0)) continue;
    // Sorts pages with the same score by the position of their best hit.
    scores.delete(page);
    scores.set(page, score);
  }
  const pages = [...scores].toSorted(([, a], [, b]) => b - a).slice(0, pagesMax);
  return pages.map(([page]) => page);
}

function bestHits(hits: readonly Hit[], page: KnowledgePage): Hit[] {
  const own = hits.filter((hit) => hit.page === page);
  return own.toSorted((a, b) => b.score - a.score).slice(0, passagesMax);
}

/** Returns the share of a question that these passages cover, from 0 to 1. */
function coverage(concepts: readonly Concept[], rarities: readonly number[], hits: readonly Hit[]): number {
  const found = new Set(hits.flatMap(({ terms }) => terms));
  let [covered, total] = [0, 0];
  for (const [i, concept] of concepts.entries()) {
    const sureness = Math.max(0, ...[...concept].map(([term, sure]) => (found.has(term) ? sure : 0)));
    covered += rarities[i]! * sureness;
    total += rarities[i]!;
  }
  return total === 0 ? 0 : covered / total;
}
