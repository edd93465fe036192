import type { Concept } from './concepts.ts';
import type { Found, Hit } from './page.index.ts';

/** A page with those of its passages that speak of a question most. */
export interface Candidate {
  page: number;
  /** The best first. */
  hits: Hit[];
  /** How much of what the question is about these passages are about: 0 to 1. */
  coverage: number;
}

const pagesMax = 3;
const passagesMax = 3;

/** How much a page has to be about. Measured: see `knowledge.quality.test.ts`. */
const coverageMin = 0.46;

/** What is about less than this share of what another page is about is beside the point. */
const shareMin = 0.3;

/** The pages that are about the question, the best first; none where the best ones only share a word with it. */
export function relevantPages(concepts: readonly Concept[], { hits, passageCount }: Found): Candidate[] {
  const weights = concepts.map((concept) => rarity(countOf(concept, hits), passageCount));
  const byPage = [...Map.groupBy(hits, ({ page }) => page)].slice(0, pagesMax);
  const candidates = byPage.map(([page, ofPage]): Candidate => {
    const best = ofPage.slice(0, passagesMax);
    return { page, hits: best, coverage: coverageOf(concepts, weights, best) };
  });
  const most = Math.max(0, ...candidates.map(({ coverage }) => coverage));
  return most < coverageMin ? [] : candidates.filter(({ coverage }) => coverage >= most * shareMin);
}

/** The inverse document frequency of BM25: a concept says the more the fewer passages have it. */
function rarity(count: number, of: number): number {
  return Math.log(1 + (of - count + 0.5) / (count + 0.5));
}

function countOf(concept: Concept, hits: readonly Hit[]): number {
  return hits.filter(({ terms }) => terms.some((term) => concept.has(term))).length;
}

function coverageOf(concepts: readonly Concept[], weights: readonly number[], hits: readonly Hit[]): number {
  const found = new Set(hits.flatMap(({ terms }) => terms));
  let [covered, total] = [0, 0];
  for (const [i, concept] of concepts.entries()) {
    const sureness = Math.max(0, ...[...concept].map(([term, sure]) => (found.has(term) ? sure : 0)));
    covered += weights[i]! * sureness;
    total += weights[i]!;
  }
  return total === 0 ? 0 : covered / total;
}
