import { conceptRarity, hasTerm, type Range, scoresOf } from './bm25.ts';
import { type Concept, wantedTerms } from './concepts.ts';
import { createField } from './field.ts';
import type { KnowledgePage } from '../pages/page.ts';

/** A passage that has at least one of the terms of a question. */
export interface Hit {
  page: number;
  passage: number;
  score: number;
  /** Those of the terms that it has. */
  terms: string[];
}

export interface SearchResult {
  /** Of each of the best pages the best passages; the best first. */
  pages: Hit[][];
  /** How much each concept says. */
  rarities: number[];
}

export interface PageIndex {
  /** Looks at the pages for everybody and at those of the organization. */
  search(concepts: readonly Concept[], orgId: string): SearchResult;
}

type PassageRef = Pick<Hit, 'page' | 'passage'>;

const weights = { title: 2, headings: 2, text: 1 };

const pagesMax = 3;
const passagesMax = 3;

/**
 * Indexes the passages of all pages in memory. Those for everybody come first and then those of each organization, so
 * that what an organization sees is two ranges of numbers, and nothing outside of them is looked at.
 */
export function createPageIndex(pages: readonly KnowledgePage[]): PageIndex {
  const byOrg = [...Map.groupBy(pages.keys(), (page) => pages[page]!.orgId)].toSorted(([a], [b]) => order(a, b));
  const passageRefs = byOrg.flatMap(([, numbers]) => numbers.flatMap((page) => passageRefsIn(page, pages[page]!)));
  const ranges = rangesOf(passageRefs, pages);
  const fields = [
    createField(
      passageRefs.map(({ page }) => pages[page]!.title),
      weights.title,
    ),
    createField(
      passageRefs.map(({ page, passage }) => pages[page]!.passages[passage]!.headings.join('\n')),
      weights.headings,
    ),
    createField(
      passageRefs.map(({ page, passage }) => textOf(pages[page]!.passages[passage]!.markdown)),
      weights.text,
    ),
  ];
  return {
    search(concepts, orgId) {
      const seen = [ranges.get(undefined), ranges.get(orgId.toLowerCase())].filter((range) => range !== undefined);
      const terms = wantedTerms(concepts);
      const scores = scoresOf(terms, fields, seen);
      const termsIn = (at: number) => terms.flatMap(([t]) => (fields.some((f) => hasTerm(f, t, at)) ? [t] : []));
      const hitOf = (at: number): Hit => ({ ...passageRefs[at]!, score: scores[at]!, terms: termsIn(at) });
      return {
        pages: bestOf(scores, passageRefs).map((numbers) => numbers.map(hitOf)),
        rarities: concepts.map((concept) => conceptRarity(concept, fields, seen)),
      };
    },
  };
}

/** What everybody sees comes before what one organization does. */
function order(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1;
}

function passageRefsIn(page: number, { passages }: KnowledgePage): PassageRef[] {
  return passages.map((_, passage) => ({ page, passage }));
}

function rangesOf(passageRefs: readonly PassageRef[], pages: readonly KnowledgePage[]): Map<string | undefined, Range> {
  const ranges = new Map<string | undefined, Range>();
  for (const [at, { page }] of passageRefs.entries()) {
    const { orgId } = pages[page]!;
    ranges.set(orgId, [ranges.get(orgId)?.[0] ?? at, at + 1]);
  }
  return ranges;
}

/** A link's address is nothing that a page is about. */
function textOf(markdown: string): string {
  return markdown.replace(/\]\([^()\s]*\)/g, ']');
}

/** The numbers of the best passages of the best pages. */
function bestOf(scores: Float64Array, passageRefs: readonly PassageRef[]): number[][] {
  const best = new Map<number, number>();
  for (const [at, score] of scores.entries()) {
    const { page } = passageRefs[at]!;
    if (score > (best.get(page) ?? 0)) best.set(page, score);
  }
  const pages = [...best]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, pagesMax)
    .map(([page]) => page);
  const found = new Map(pages.map((page) => [page, [] as number[]]));
  for (const [at, score] of scores.entries()) if (score > 0) found.get(passageRefs[at]!.page)?.push(at);
  return [...found.values()].map((own) => own.toSorted((a, b) => scores[b]! - scores[a]!).slice(0, passagesMax));
}
