import type { Options, SearchOptions } from 'minisearch';

/** A part of a page in the index. */
export interface IndexedPart {
  id: number;
  url: string;
  /** Title of the page that has this part. */
  page: string;
  title: string;
  text: string;
  /** Beginning of the text, shown in search results. */
  excerpt: string;
  /** Factor of the score. It ranks decisions and pages of the section Project below all others. */
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
