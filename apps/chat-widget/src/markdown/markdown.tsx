import type { MarkedToken, Token } from 'marked';
import { useMemo } from 'preact/hooks';
import { type AnswerContext, block } from './block.tsx';
import type { Citations } from './citations.tsx';
import { tokensIn } from './tokens.ts';

interface MarkdownProps {
  tokens: readonly Token[];
  citations: Citations;
  /** Number of the answer in the conversation, from 1. */
  answer: number;
}

/** Renders Markdown as elements. None of it is ever parsed as HTML. */
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

/**
 * Renders a block. The same source yields the same elements, so while an answer grows only changed blocks are rendered.
 */
function BlockView({ token, context }: { token: MarkedToken; context: AnswerContext }) {
  return useMemo(() => <>{block(token, context)}</>, [token.raw, context.citations]);
}

const titles = { table: 'Table', code: 'Code' } as const;

/**
 * Returns names for the regions of an answer that scroll separately: "Table 2 of answer 3". Screen readers list them
 * all, so names are unique within a conversation.
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
