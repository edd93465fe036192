import type { Token } from 'marked';
import { tokensIn } from './tokens.ts';

const titles = { table: 'Table', code: 'Code' } as const;

/**
 * What scrolls by itself within an answer, by the names of its regions: "Table 2 of answer 3". A screen reader lists
 * them all, so no two of a conversation share one.
 */
export function regionNames(tokens: readonly Token[], answer: number): ReadonlyMap<Token, string> {
  const names = new Map<Token, string>();
  const counts = { table: 0, code: 0 };
  for (const token of tokensIn(tokens)) {
    if (token.type !== 'table' && token.type !== 'code') continue;
    names.set(token, `${titles[token.type]} ${++counts[token.type]} of answer ${answer}`);
  }
  return names;
}
