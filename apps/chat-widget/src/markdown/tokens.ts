import type { MarkedToken, Token } from 'marked';

/** Deeper nesting than this is shown as it was written. */
export const depthMax = 10;

/** All tokens of a Markdown text, in the order in which they are read, as deep as an answer is drawn. */
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
