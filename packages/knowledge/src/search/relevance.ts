import type { Concept } from './concepts.ts';
import type { SearchResult, Hit } from './page-index.ts';

/** How much of what a question is about a page has to be about. Measured: see `search-quality.test.ts`. */
const coverageMin = 0.46;

/** What is about less than this share of what another page is about is beside the point. */
const shareMin = 0.3;

/** The pages that are about the question, the best first; none where the best ones only share a word with it. */
export function relevantPages(concepts: readonly Concept[], { pages, rarities }: SearchResult): Hit[][] {
  const coverages = pages.map((hits) => coverageOf(concepts, rarities, hits));
  const most = Math.max(0, ...coverages);
  return most < coverageMin ? [] : pages.filter((_, i) => coverages[i]! >= most * shareMin);
}

/** How much of what the question is about these passages are about: 0 to 1. */
function coverageOf(concepts: readonly Concept[], rarities: readonly number[], hits: readonly Hit[]): number {
  const found = new Set(hits.flatMap(({ terms }) => terms));
  let [covered, total] = [0, 0];
  for (const [i, concept] of concepts.entries()) {
    const sureness = Math.max(0, ...[...concept].map(([term, sure]) => (found.has(term) ? sure : 0)));
    covered += rarities[i]! * sureness;
    total += rarities[i]!;
  }
  return total === 0 ? 0 : covered / total;
}
