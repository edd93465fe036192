import type { ComponentChild } from 'preact';
import type { SourceLink } from '../chat/message.ts';
import { safeUrl } from './safe-url.ts';

/** What the marks of an answer may point to. */
export interface Citations {
  readonly sources: readonly SourceLink[];
  /** Sources come at the end of an answer: until then every mark is taken for one that will have its source. */
  readonly isOpen: boolean;
}

const mark = /\[(\d{1,3})\]/;

/** Text with each `[n]` made a small link to source n; a mark without a source stays text. */
export function withCitations(text: string, citations: Citations): ComponentChild[] {
  const pieces = text.split(mark).map((piece, at) => (at % 2 === 0 ? piece : citation(piece, citations)));
  // A mark belongs to the word before it, and never begins a line.
  return pieces.map((piece, at) => {
    const isBeforeMark = typeof piece === 'string' && typeof pieces[at + 1] === 'object';
    return isBeforeMark ? piece.replace(/\s$/, '\u202f') : piece;
  });
}

function citation(id: string, { sources, isOpen }: Citations): ComponentChild {
  const source = sources.find((candidate) => candidate.id === id);
  const url = source && safeUrl(source.url);
  if (!source || url === undefined) return isOpen ? <span class="mark">{id}</span> : `[${id}]`;
  return (
    <a
      class="mark"
      part="citation"
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={source.title || undefined}
      aria-label={`Source ${id}${source.title && `: ${source.title}`}`}
    >
      {id}
    </a>
  );
}
