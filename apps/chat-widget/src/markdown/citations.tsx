import type { ComponentChild } from 'preact';
import type { SourceLink } from '../chat/message.ts';
import { markPattern } from './citation-numbers.ts';
import { safeUrl } from './safe-url.ts';

/** The sources of an answer and their numbers. */
export interface Citations {
  readonly sources: readonly SourceLink[];
  /** Numbers of sources, by id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** True while the answer is arriving. Every `[n]` then counts as a citation, because the sources arrive last. */
  readonly isOpen: boolean;
}

/** Turns each `[n]` in a text into a small link to source n. A number without a source stays text. */
export function withCitations(text: string, citations: Citations): ComponentChild[] {
  const pieces = text.split(markPattern).map((piece, at) => (at % 2 === 0 ? piece : citation(piece, citations)));
  // A citation belongs to the word before it, and must not begin a line.
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
