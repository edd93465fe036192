import type { MarkedToken, Token } from 'marked';

/** Maximum depth of nesting; deeper parts are shown as they were written. */
export const depthMax = 10;

/** Yields all tokens of a Markdown text in reading order, as deep as an answer is rendered. */
export function* tokensIn(tokens: readonly Token[], depth = 0): Generator<MarkedToken> {
  if (depth > depthMax) return;
  for (const token of tokens as readonly MarkedToken[]) {
    yield token;
    yield* tokensIn(within(token), depth + 1);
  }
}

function within(token: MarkedToken): readonly Token[] {
  if (token.type === 'list') return token.items;
  if (token.type === 'table') return [token.header, ...token.rows].flat().flatMap(({ tokens }) => tokens);
  return ('tokens' in token && token.tokens) || [];
}
