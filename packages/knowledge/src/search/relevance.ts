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
 * the best pages have only a word in common with the question.
 */
export function relevantPages(concepts: readonly Concept[], { hits, rarities }: Found): Hit[][] {
  const byPage = [...Map.groupBy(hits, ({ page }) => page).values()];
  const pages = byPage.slice(0, pagesMax).map((own) => own.slice(0, passagesMax));
  const coverages = pages.map((own) => coverage(concepts, rarities, own));
  const most = Math.max(0, ...coverages);
  return most < coverageMin ? [] : pages.filter((_, i) => coverages[i]! >= most * shareMin);
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
