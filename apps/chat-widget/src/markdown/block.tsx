import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChild } from 'preact';
import type { Citations } from './citations.tsx';
import { inline } from './inline.tsx';
import { Table } from './table.tsx';
import { depthMax } from './tokens.ts';

export interface AnswerContext {
  readonly citations: Citations;
  /** Accessible names of regions that scroll separately. */
  readonly regionNames: ReadonlyMap<Token, string>;
}

/**
 * Renders block tokens as elements. Only the kinds listed here become elements; everything else is shown as it was
 * written.
 */
function blocks(tokens: readonly Token[], answer: AnswerContext, depth = 0): ComponentChild[] {
  return tokens.map((token) => block(token as MarkedToken, answer, depth));
}

export function block(token: MarkedToken, answer: AnswerContext, depth = 0): ComponentChild {
  const { citations, regionNames } = answer;
  if (depth > depthMax) return <p class="raw">{token.raw}</p>;
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens, citations)}</p>;
    case 'heading':
      return <HeadingView depth={token.depth}>{inline(token.tokens, citations)}</HeadingView>;
    case 'code':
      return (
        <pre tabIndex={0} aria-label={regionNames.get(token)} role="region" dir="ltr">
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, answer, depth + 1)}</blockquote>;
    case 'list':
      return list(token, answer, depth);
    case 'table':
      return (
        <Table name={regionNames.get(token)} table={token} contentOf={({ tokens }) => inline(tokens, citations)} />
      );
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="raw">{token.raw.trimEnd()}</p>;
    default:
      return <>{inline([token], citations)}</>;
  }
}

/** Renders all headings at the same level, since an answer's own levels would not fit the outline of the page. */
function HeadingView({ depth, children }: { depth: number; children: ComponentChild[] }) {
  return (
    <h3 class={depth > 2 ? 'minor' : 'major'} dir="auto">
      {children}
    </h3>
  );
}

function list({ ordered, start, items }: Tokens.List, answer: AnswerContext, depth: number): ComponentChild {
  const entries = items.map(({ tokens, task }) => (
    <li class={task ? 'task' : undefined} dir="auto">
      {blocks(tokens, answer, depth + 1)}
    </li>
  ));
  return ordered ? <ol start={start || 1}>{entries}</ol> : <ul>{entries}</ul>;
}
