import type { Options, SearchOptions } from 'minisearch';

/** A part of a page in the index. */
export interface IndexedPart {
  id: number;
  url: string;
  /** Title of its page. */
  page: string;
  title: string;
  text: string;
  /** Beginning of the text, which results show. */
  excerpt: string;
  /** Factor on its score: decisions and pages of the section Project come after all others. */
  weight: number;
}

/** Options of the index, the same for the build and for browsers. */
export const indexOptions: Options<IndexedPart> = {
  fields: ['title', 'page', 'text'],
  storeFields: ['url', 'page', 'title', 'excerpt', 'weight'],
};

export const searchOptions: SearchOptions = {
  prefix: true,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boost: { title: 4, page: 2 },
  combineWith: 'AND',
  boostDocument: (_id, _term, stored) => (stored?.['weight'] as number | undefined) ?? 1,
};
