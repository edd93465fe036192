import { type Block, readSections, type Section } from './markdown-blocks.ts';

/** A part of a page that is found and shown as one. */
export interface Passage {
  /** The headings above it, without the page's title, outermost first. */
  headings: string[];
  /** Markdown, headings included. */
  markdown: string;
}

/** Characters of a passage without its headings. */
const lengthMax = 900;

/** Characters of the headings that a passage repeats. */
const headingLengthMax = 200;

/**
 * Cuts a page's Markdown at its headings, and where a section is long between its blocks, items, rows and lines. The
 * page's title is its first heading of level 1.
 */
export function readPassages(markdown: string): { title: string | undefined; passages: Passage[] } {
  const sections = readSections(markdown);
  const title = sections.flatMap(({ headings }) => headings).find(({ level }) => level === 1)?.text;
  const passages = sections.flatMap((section) => packed(section.blocks).map((text) => passageOf(section, title, text)));
  return { title, passages };
}

function passageOf({ headings }: Section, title: string | undefined, text: string): Passage {
  const below = headings.filter((heading) => heading.level > 1 || heading.text !== title);
  const lines = below.map((heading) => `${'#'.repeat(heading.level)} ${heading.text.slice(0, headingLengthMax)}`);
  return { headings: below.map((heading) => heading.text), markdown: [...lines, text].join('\n\n') };
}

/** Joins neighbouring pieces as long as they fit. */
function packed(blocks: Block[]): string[] {
  const texts: string[] = [];
  for (const piece of blocks.flatMap(piecesOf)) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + piece.length + 2 <= lengthMax)
      texts[texts.length - 1] = `${last}\n\n${piece}`;
    else texts.push(piece);
  }
  return texts;
}

/** A block as it is, or in several pieces that each have its head and foot. */
function piecesOf({ head, parts, foot }: Block): string[] {
  const frame = (body: string[]) => [head.slice(0, lengthMax), ...body, foot].filter((line) => line !== '').join('\n');
  const room = Math.max(lengthMax - head.length - foot.length - 2, lengthMax / 4);
  const pieces: string[][] = [[]];
  let length = 0;
  for (const part of parts.flatMap((text) => cutText(text, room))) {
    if (length + part.length + 1 > room && length > 0) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)!.push(part);
    length += part.length + 1;
  }
  return pieces.map(frame).filter((text) => text !== '');
}

/** Cuts what is too long after a sentence, else at a space, else between characters. */
function cutText(text: string, lengthMax: number): string[] {
  const cuts: string[] = [];
  let from = 0;
  if (text.length <= lengthMax) return [text];
  while (text.length - from > lengthMax) {
    const window = text.slice(from, from + lengthMax);
    const length = cutLength(window);
    cuts.push(window.slice(0, length).trim());
    from += length;
  }
  cuts.push(text.slice(from).trim());
  return cuts;
}

function cutLength(window: string): number {
  const sentence = Math.max(...['. ', '.\n', '! ', '? '].map((end) => window.lastIndexOf(end))) + 1;
  if (sentence > window.length / 2) return sentence;
  const space = Math.max(window.lastIndexOf(' '), window.lastIndexOf('\n')) + 1;
  if (space > window.length / 2) return space;
  return window.length - (/[\ud800-\udbff]$/.test(window) ? 1 : 0);
}
