import type { MarkedToken, Token } from 'marked';
import { useMemo } from 'preact/hooks';
import { type AnswerContext, block } from './block.tsx';
import type { Citations } from './citations.tsx';
import { tokensIn } from './tokens.ts';

interface MarkdownProps {
  tokens: readonly Token[];
  citations: Citations;
  /** Which answer of the conversation it is, from 1. */
  answer: number;
}

/** A Markdown text as elements. Nothing of it is ever read as HTML. */
export function Markdown({ tokens, citations, answer }: MarkdownProps) {
  const context = { citations, regionNames: regionNames(tokens, answer) };
  return (
    <div class="markdown" part="answer">
      {tokens.map((token, position) => (
        <BlockView key={position} token={token as MarkedToken} context={context} />
      ))}
    </div>
  );
}

/** While an answer grows, only the blocks that changed are looked at: the same source makes the same elements. */
function BlockView({ token, context }: { token: MarkedToken; context: AnswerContext }) {
  return useMemo(() => <>{block(token, context)}</>, [token.raw, context.citations]);
}

const titles = { table: 'Table', code: 'Code' } as const;

/**
 * What scrolls by itself within an answer, by the names of its regions: "Table 2 of answer 3". A screen reader lists
 * them all, so no two of a conversation share one.
 */
function regionNames(tokens: readonly Token[], answer: number): ReadonlyMap<Token, string> {
  const names = new Map<Token, string>();
  const counts = { table: 0, code: 0 };
  for (const token of tokensIn(tokens)) {
    if (token.type !== 'table' && token.type !== 'code') continue;
    names.set(token, `${titles[token.type]} ${++counts[token.type]} of answer ${answer}`);
  }
  return names;
}
