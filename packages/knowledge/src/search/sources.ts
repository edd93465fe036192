import type { Hit } from './page-index.ts';
import type { KnowledgePage } from '../pages/page.ts';

/** A page that is about a question. `number` counts from 1 and is how an answer cites it: `[1]`. */
export interface Source {
  number: number;
  title: string;
  /** Absolute, http or https. */
  url: string;
  /** Markdown, in the order of the page, each with the headings above it. */
  passages: string[];
}

/** Characters of all passages of a page together; with at most 3 pages, 6,000 in all. */
const lengthMax = 2_000;

/** Makes sources of the passages that were found of each page, the best first. */
export function sourcesOf(found: readonly (readonly Hit[])[], pages: readonly KnowledgePage[]): Source[] {
  return found.map((hits, i) => {
    const { title, url, passages } = pages[hits[0]!.page]!;
    return {
      number: i + 1,
      title,
      url,
      passages: shownPassages(
        hits,
        passages.map(({ markdown }) => markdown),
      ),
    };
  });
}

/**
 * The passages that were found, and as many others from the beginning of the page on as there is room for: a price list
 * seldom has the word price in it. A passage is shorter than the room, so that one is always shown.
 */
function shownPassages(hits: readonly Hit[], passages: readonly string[]): string[] {
  const shown = new Set<number>();
  let room = lengthMax;
  for (const at of [...hits.map(({ passage }) => passage), ...passages.keys()]) {
    const length = passages[at]!.length;
    if (shown.has(at) || length > room) continue;
    shown.add(at);
    room -= length;
  }
  return [...shown].toSorted((a, b) => a - b).map((at) => passages[at]!);
}
