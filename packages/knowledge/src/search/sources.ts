import type { Passage } from '../pages/passages.ts';
import type { Hit } from './page-index.ts';

/** A page that is about a question. Answers cite it by its `number`, which counts from 1: `[1]`. */
export interface Source {
  number: number;
  title: string;
  /** Absolute address, http or https. */
  url: string;
  /** Passages in Markdown, each with its headings, in the order of the page. */
  passages: string[];
  /** Up to 3 passages that match the question well, the best first. The best page has at least one. */
  quotes: string[];
}

/** Maximum length of all passages of a page, in characters: 6,000 for 3 pages. */
const lengthMax = 2_000;

/** Share of the best score below which a passage is not quoted. */
const quotedMin = 0.2;

/** Creates sources from the matching passages of each page. */
export function toSources(found: readonly (readonly Hit[])[]): Source[] {
  const best = found[0]?.[0]?.score ?? 0;
  return found.map((hits, i) => {
    const { title, url, passages } = hits[0]!.page;
    return {
      number: i + 1,
      title,
      url,
      passages: shownPassages(hits, passages),
      quotes: hits.filter(({ score }) => score >= best * quotedMin).map(({ passage }) => passage.markdown),
    };
  });
}

/**
 * Returns the matching passages, and as many others from the beginning of the page as fit, since an answer may not
 * contain the words of the question. At least one passage nearly always fits, since only long headings can make a
 * passage longer than the limit.
 */
function shownPassages(hits: readonly Hit[], passages: readonly Passage[]): string[] {
  const shown = new Set<Passage>();
  let room = lengthMax;
  for (const passage of [...hits.map((hit) => hit.passage), ...passages]) {
    const { length } = passage.markdown;
    if (shown.has(passage) || length > room) continue;
    shown.add(passage);
    room -= length;
  }
  return passages.filter((passage) => shown.has(passage)).map(({ markdown }) => markdown);
}
