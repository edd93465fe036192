import type { ComponentChild } from 'preact';
import type { SourceLink } from '../chat/message.ts';
import { markPattern } from './citation-numbers.ts';
import { safeUrl } from './safe-url.ts';

/** Sources that the marks of an answer may cite. */
export interface Citations {
  readonly sources: readonly SourceLink[];
  /** Numbers of cited sources by their ids. */
  readonly numbers: ReadonlyMap<string, number>;
  /** True until the sources arrive, at the end of an answer: every mark is then expected to get its source. */
  readonly isOpen: boolean;
}

/** Turns each `[n]` in a text into a small link to source n; a mark without a source stays text. */
export function withCitations(text: string, citations: Citations): ComponentChild[] {
  const pieces = text.split(markPattern).map((piece, at) => (at % 2 === 0 ? piece : citation(piece, citations)));
  // A mark belongs to the word before it, and must not begin a line.
  return pieces.map((piece, at) => {
    const isBeforeMark = typeof piece === 'string' && typeof pieces[at + 1] === 'object';
    return isBeforeMark ? piece.replace(/\s$/, '\u202f') : piece;
  });
}

function citation(id: string, { sources, numbers, isOpen }: Citations): ComponentChild {
  const source = sources.find((candidate) => candidate.id === id);
  const url = source && safeUrl(source.url);
  const number = numbers.get(id);
  if (!source || url === undefined) return isOpen ? <span class="mark">{number}</span> : `[${id}]`;
  return (
    <a
      class="mark"
      part="citation"
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={source.title || undefined}
      aria-label={`Source ${number}${source.title && `: ${source.title}`}`}
    >
      {number}
    </a>
  );
}
