import { runToEnd, type SlicedWork } from '@relata/schemas/time-slices';
import { findConcepts } from './search/concepts.ts';
import { KnowledgeError } from './knowledge.error.ts';
import { readPageFiles } from './pages/page-files.ts';
import { createPageIndex, searchPages } from './search/page-index.ts';
import { readPage } from './pages/page.ts';
import { splitSentences } from './search/question.ts';
import { relevantPages } from './search/relevance.ts';
import { type Source, toSources } from './search/sources.ts';
import { createWords, createVocabulary } from './search/vocabulary.ts';

/** The pages from which an assistant may answer. They are read once and do not change. */
export interface Knowledge {
  readonly pageCount: number;
  /** Returns at most 3 pages with 6,000 characters in total, the best first; `[]` if none is about the question. */
  search(question: string, orgId: string): Source[];
  /** Like `search`, in steps of a few milliseconds; with the most pages allowed, a step takes about 20 ms. */
  searchInSlices(question: string, orgId: string): SlicedWork<Source[]>;
}

export interface KnowledgeOptions {
  /** A folder of Markdown pages; without it the knowledge base finds nothing. */
  dir: string | undefined;
  /** Absolute http or https URL with which the URLs of all pages begin. */
  baseUrl: string;
}

/**
 * Reads all pages. Pages in a folder named after an organization's id are found only for that organization. Throws
 * `KnowledgeError` with the name of a folder or file that cannot be read.
 */
export async function openKnowledge({ dir, baseUrl }: KnowledgeOptions): Promise<Knowledge> {
  const base = baseOf(baseUrl);
  const files = dir === undefined ? [] : await readPageFiles(dir);
  const pages = files.map((file) => readPage(file, base));
  // The pages of each organization have their own index, and the pages for all organizations another. So pages of other
  // organizations are never searched, and affect neither the rarity of words nor corrections.
  const byOrg = new Map(
    [...Map.groupBy(pages, ({ orgId }) => orgId)].map(([orgId, own]) => [
      orgId,
      { index: createPageIndex(own), words: createWords(own) },
    ]),
  );
  function* searchInSlices(question: string, orgId: string): SlicedWork<Source[]> {
    const seen = [byOrg.get(undefined), byOrg.get(orgId.toLowerCase())].filter((own) => own !== undefined);
    const [indexes, vocabulary] = [seen.map(({ index }) => index), createVocabulary(seen.map(({ words }) => words))];
    for (const sentence of splitSentences(question)) {
      const concepts = yield* findConcepts(sentence, vocabulary);
      const matches = yield* searchPages(indexes, concepts);
      yield;
      const found = relevantPages(concepts, matches);
      if (found.length > 0) return toSources(found);
      yield;
    }
    return [];
  }
  return {
    pageCount: pages.length,
    search: (question, orgId) => runToEnd(searchInSlices(question, orgId)),
    searchInSlices,
  };
}

function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:') {
    throw new KnowledgeError(baseUrl, 'is not an http or https address.');
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}
