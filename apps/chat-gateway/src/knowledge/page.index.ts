import MiniSearch from 'minisearch';
import type { Page } from './page.ts';
import { termOf, wordsOf } from './terms.ts';

interface Document {
  id: number;
  title: string;
  headings: string;
  text: string;
  orgId: string | undefined;
}

/** A passage that has at least one of the terms. */
export interface Hit {
  page: number;
  passage: number;
  score: number;
  terms: readonly string[];
}

/** What a search finds and how much was searched. */
export interface Found {
  hits: Hit[];
  passageCount: number;
}

export interface PageIndex {
  /** Looks for terms by their weights, at the pages for everybody and those of the organization alone; best first. */
  search(weights: ReadonlyMap<string, number>, orgId: string): Found;
}

/** Weights of a match beside one in the text. */
const boost = { title: 2, headings: 2 };

/** Puts all passages of the pages into one index in memory. */
export function createPageIndex(pages: readonly Page[]): PageIndex {
  const places = pages.flatMap(({ passages }, page) => passages.map((_, passage) => ({ page, passage })));
  const counts = Map.groupBy(places, ({ page }) => pages[page]!.orgId);
  const index = new MiniSearch<Document>({
    fields: ['title', 'headings', 'text'],
    storeFields: ['orgId'],
    tokenize: wordsOf,
    processTerm: termOf,
    searchOptions: { tokenize: (terms) => terms.split(' '), processTerm: (term) => term, boost },
  });
  index.addAll(places.map(({ page, passage }, id) => documentOf(id, pages[page]!, passage)));
  return {
    search(weights, orgId) {
      const own = orgId.toLowerCase();
      const isSeen = (_id: unknown, _term: string, stored?: Record<string, unknown>) =>
        stored?.['orgId'] === undefined || stored['orgId'] === own ? 1 : 0;
      const boostTerm = (term: string) => weights.get(term) ?? 0;
      const results = index.search([...weights.keys()].join(' '), { boostDocument: isSeen, boostTerm });
      const hits = results.map(({ id, score, queryTerms }) => ({ ...places[id as number]!, score, terms: queryTerms }));
      return { hits, passageCount: (counts.get(undefined)?.length ?? 0) + (counts.get(own)?.length ?? 0) };
    },
  };
}

function documentOf(id: number, { title, orgId, passages }: Page, passage: number): Document {
  const { headings, markdown } = passages[passage]!;
  return { id, title, headings: headings.join('\n'), text: withoutTargets(markdown), orgId };
}

/** A link's address is nothing that a page is about. */
function withoutTargets(markdown: string): string {
  return markdown.replace(/\]\([^()\s]*\)/g, ']');
}
