import type { Source } from '@relata/knowledge';

/** Maximum number of passages quoted from the best page, the next one and the last. */
const passagesMax = [3, 2, 1];

/** Maximum length of all quotes together, in characters. The first one is always quoted. */
const lengthMax = 1_400;

/** Returns the passages that match the question, in Markdown, each with the number of its page; '' without sources. */
export function quote(sources: readonly Source[]): string {
  const texts = sources.flatMap(({ number, quotes, passages }, rank) =>
    quotes
      .slice(0, passagesMax[rank] ?? 0)
      .toSorted((a, b) => passages.indexOf(a) - passages.indexOf(b))
      .map((passage) => cited(passage, number)),
  );
  let room = lengthMax;
  const fitting = texts.filter((text, i) => {
    if (i > 0 && text.length > room) return false;
    room -= text.length;
    return true;
  });
  return fitting.join('\n\n');
}

/**
 * Returns a passage with its citation. Bracketed numbers of the page itself are removed, since they would look like
 * citations of the answer.
 */
function cited(passage: string, number: number): string {
  const text = passage.replace(/ ?\[\d{1,3}\](?!\()/g, '').trimEnd();
  // Inside a table or code, the citation would become a cell or a line.
  return /(?:\||```|~~~)$/.test(text) ? `${text}\n\n[${number}]` : `${text} [${number}]`;
}
