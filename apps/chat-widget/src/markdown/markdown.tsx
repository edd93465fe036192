import type { MarkedToken } from 'marked';
import { useMemo } from 'preact/hooks';
import type { SourceLink } from '../chat/message.ts';
import { block } from './block.tsx';
import type { Citations } from './citations.tsx';
import { lexMarkdown } from './markdown.lexer.ts';

interface MarkdownProps {
  text: string;
  sources: readonly SourceLink[];
  /** Whether more of the text may come. */
  isOpen: boolean;
}

/** A Markdown text as elements. Nothing of it is ever read as HTML. */
export function Markdown({ text, sources, isOpen }: MarkdownProps) {
  const citations = useMemo(() => ({ sources, isOpen }), [sources, isOpen]);
  const tokens = useMemo(() => lexMarkdown(text), [text]);
  return (
    <div class="markdown" part="answer">
      {tokens.map((token, position) => (
        <Block key={position} token={token as MarkedToken} citations={citations} />
      ))}
    </div>
  );
}

/** While an answer grows, only the blocks that changed are looked at: the same source makes the same elements. */
function Block({ token, citations }: { token: MarkedToken; citations: Citations }) {
  return useMemo(() => <>{block(token, citations)}</>, [token.raw, citations]);
}
