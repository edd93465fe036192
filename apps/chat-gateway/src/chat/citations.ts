import type { Source } from '@relata/knowledge';
import type { UIMessageChunk } from 'ai';

export interface CitationOptions {
  text: string;
  sources: readonly Source[];
  /** Whether a page that is not cited was not used. */
  isEachCited: boolean;
}

/** The pages that a text cites as `[1]`; where it cites none, those that it was written from. */
export function* citations({ text, sources, isEachCited }: CitationOptions): Generator<UIMessageChunk, void> {
  const cited = new Set([...text.matchAll(/\[(\d{1,2})\]/g)].map(([, number]) => Number(number)));
  const pages = sources.filter(({ number }) => cited.has(number));
  const shown = pages.length > 0 || isEachCited ? pages : sources;
  for (const { number, url, title } of shown) yield { type: 'source-url', sourceId: String(number), url, title };
}
