import type { Token } from 'marked';
import type { SourceLink } from '../chat/message.ts';
import { tokensIn } from './tokens.ts';

/** Pattern of a citation: `[n]`, where n is the id of a source. */
export const markPattern = /\[(\d{1,3})\]/g;

/**
 * Returns the number that a visitor reads for each id: 1 for the source that the text cites first, and so on. Sources
 * without a citation follow. While the answer is open, every `[n]` gets a number, because the sources arrive last.
 */
export function citationNumbers(
  tokens: readonly Token[],
  sources: readonly SourceLink[],
  isOpen: boolean,
): ReadonlyMap<string, number> {
  const known = new Set(sources.map(({ id }) => id));
  const cited = [...citedIds(tokens)].filter((id) => isOpen || known.has(id));
  return new Map([...new Set([...cited, ...known])].map((id, at) => [id, at + 1]));
}

function* citedIds(tokens: readonly Token[]): Generator<string> {
  for (const token of tokensIn(tokens)) {
    if (token.type !== 'text' || token.tokens) continue;
    for (const [, id] of token.text.matchAll(markPattern)) yield id!;
  }
}
