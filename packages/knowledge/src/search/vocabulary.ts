import type { KnowledgePage } from '../pages/page.ts';
import { createWords } from '../words/words.ts';

/** Words that the pages use. */
export interface Vocabulary {
  hasTerm(term: string): boolean;
  /** Returns the known word that a misspelt one most likely stands for. */
  correct(word: string): string | undefined;
}

/** Collects the words of all pages. Words of an organization's own pages are known for that organization only. */
export function createVocabularies(pages: readonly KnowledgePage[]): (orgId: string) => Vocabulary {
  const byOrg = new Map(
    [...Map.groupBy(pages, ({ orgId }) => orgId)].map(([orgId, own]) => [orgId, createWords(own.flatMap(textsOf))]),
  );
  return (orgId) => {
    const seen = [byOrg.get(undefined), byOrg.get(orgId.toLowerCase())].filter((words) => words !== undefined);
    return {
      hasTerm: (term) => seen.some(({ terms }) => terms.has(term)),
      correct: (word) =>
        seen
          .flatMap((words) => words.nearest(word) ?? [])
          .toSorted((a, b) => a.slips - b.slips || b.count - a.count)
          .at(0)?.word,
    };
  };
}

function textsOf({ title, passages }: KnowledgePage): string[] {
  return [title, ...passages.map(({ markdown }) => markdown)];
}
