import { conceptsOf } from './search/concepts.ts';
import { KnowledgeError } from './knowledge.error.ts';
import { readPageFiles } from './pages/page-files.ts';
import { createPageIndex } from './search/page-index.ts';
import { readPage } from './pages/page.ts';
import { sentencesOf } from './search/question.ts';
import { relevantPages } from './search/relevance.ts';
import { type Source, sourcesOf } from './search/sources.ts';
import { createVocabularies } from './search/vocabulary.ts';

/** The pages an assistant may answer from. They are read once and do not change. */
export interface Knowledge {
  readonly pageCount: number;
  /** At most 3 pages with 6,000 characters in all, the best first; `[]` where nothing is about the question. */
  search(question: string, orgId: string): Source[];
}

export interface KnowledgeOptions {
  /** A folder of Markdown pages; none gives a knowledge base that finds nothing. */
  dir: string | undefined;
  /** Absolute, http or https: what the pages' addresses begin with. */
  baseUrl: string;
}

/**
 * Reads all pages. What lies in a folder that is named by an organization's id is found for that organization alone.
 * Throws `KnowledgeError`, naming the folder or the file, on what cannot be read.
 */
export async function openKnowledge({ dir, baseUrl }: KnowledgeOptions): Promise<Knowledge> {
  const base = baseOf(baseUrl);
  const files = dir === undefined ? [] : await readPageFiles(dir);
  const pages = files.map((file) => readPage(file, base));
  const [index, vocabularyFor] = [createPageIndex(pages), createVocabularies(pages)];
  return {
    pageCount: pages.length,
    search(question, orgId) {
      const vocabulary = vocabularyFor(orgId);
      for (const sentence of sentencesOf(question)) {
        const concepts = conceptsOf(sentence, vocabulary);
        const found = relevantPages(concepts, index.search(concepts, orgId));
        if (found.length > 0) return sourcesOf(found);
      }
      return [];
    },
  };
}

function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:') {
    throw new KnowledgeError(baseUrl, 'is no http or https address.');
  }
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return base;
}
