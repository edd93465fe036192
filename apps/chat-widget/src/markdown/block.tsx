import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChild } from 'preact';
import type { Citations } from './citations.tsx';
import { depthMax, inline } from './inline.tsx';

/** Block tokens as elements. Only what is listed here becomes one; all else is shown as it was written. */
function blocks(tokens: readonly Token[], citations: Citations, depth = 0): ComponentChild[] {
  return tokens.map((token) => block(token as MarkedToken, citations, depth));
}

export function block(token: MarkedToken, citations: Citations, depth = 0): ComponentChild {
  if (depth > depthMax) return <p class="raw">{token.raw}</p>;
  switch (token.type) {
    case 'space':
      return null;
    case 'paragraph':
      return <p dir="auto">{inline(token.tokens, citations)}</p>;
    case 'heading':
      return <Heading depth={token.depth}>{inline(token.tokens, citations)}</Heading>;
    case 'code':
      return (
        <pre tabIndex={0} aria-label="Code" role="region" dir="ltr">
          <code>{token.text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, citations, depth + 1)}</blockquote>;
    case 'list':
      return list(token, citations, depth);
    case 'table':
      return table(token, citations);
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="raw">{token.raw.trimEnd()}</p>;
    default:
      return <>{inline([token], citations)}</>;
  }
}

/** One level for all: an answer's own levels would not fit into the page's. */
function Heading({ depth, children }: { depth: number; children: ComponentChild[] }) {
  return (
    <h3 class={depth > 2 ? 'minor' : 'major'} dir="auto">
      {children}
    </h3>
  );
}

function list({ ordered, start, items }: Tokens.List, citations: Citations, depth: number): ComponentChild {
  const entries = items.map(({ tokens, task }) => (
    <li class={task ? 'task' : undefined} dir="auto">
      {blocks(tokens, citations, depth + 1)}
    </li>
  ));
  return ordered ? <ol start={start || 1}>{entries}</ol> : <ul>{entries}</ul>;
}

function table({ header, rows }: Tokens.Table, citations: Citations): ComponentChild {
  const cell = ({ tokens, align, header: isHeader }: Tokens.TableCell) => {
    const Cell = isHeader ? 'th' : 'td';
    return <Cell class={align ?? undefined}>{inline(tokens, citations)}</Cell>;
  };
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>{header.map(cell)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
