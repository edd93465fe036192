import { Lexer, type MarkedToken, type Tokens } from 'marked';

/** A part of a page that is found and shown as a unit. */
export interface Passage {
  /** The headings above the passage, outermost first, without the page's title. */
  headings: string[];
  /** Markdown, including the headings. */
  markdown: string;
}

type Heading = Pick<Tokens.Heading, 'depth' | 'text'>;

/** A piece of Markdown that can be cut between its parts, which are list items, table rows or lines of code. */
interface Block {
  /** Lines that are repeated before each piece: the header of a table, or the line that opens a code fence. */
  head: string;
  parts: string[];
  foot: string;
}

/** Maximum length of a passage without its headings, in characters. */
const lengthMax = 900;

/** Maximum length of each heading that a passage repeats, in characters. */
const headingLengthMax = 200;

/**
 * Cuts a page's Markdown into passages at its headings, and long sections between blocks, items, rows and lines. The
 * page's title is its first heading of level 1. HTML comments are left out; other HTML is treated as text.
 */
export function readPassages(markdown: string): { title: string | undefined; passages: Passage[] } {
  // Only blocks are parsed. Markup within a line stays as written.
  const tokens = new Lexer().blockTokens(withoutComments(markdown).replace(/\r\n?/g, '\n')) as MarkedToken[];
  const title = tokens.find((token) => token.type === 'heading' && token.depth === 1) as Heading | undefined;
  const passages: Passage[] = [];
  let headings: Heading[] = [];
  let blocks: Block[] = [];
  const endSection = () => {
    passages.push(...packed(blocks).map((text) => passageOf(headings, title, text)));
    blocks = [];
  };
  for (const token of tokens) {
    if (token.type === 'heading') {
      endSection();
      headings = [...headings.filter(({ depth }) => depth < token.depth), token];
    } else blocks.push(blockOf(token));
  }
  endSection();
  return { title: title?.text, passages };
}

function withoutComments(markdown: string): string {
  const [first = '', ...rest] = markdown.split('<!--');
  return (
    first + rest.map((text) => text.slice(text.indexOf('-->') < 0 ? text.length : text.indexOf('-->') + 3)).join('')
  );
}

function blockOf(token: MarkedToken): Block {
  const text = token.raw.trim();
  const lines = text.split('\n');
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return { head: '', parts: [], foot: '' };
    case 'list':
      return { head: '', parts: token.items.map(({ raw }) => raw.trim()), foot: '' };
    case 'table':
      return { head: lines.slice(0, 2).join('\n'), parts: lines.slice(2), foot: '' };
    case 'code':
      return token.codeBlockStyle === 'indented'
        ? { head: '', parts: token.raw.trimEnd().split('\n'), foot: '' }
        : { head: lines[0]!, parts: lines.slice(1, -1), foot: lines.at(-1)! };
    default:
      return { head: '', parts: [text], foot: '' };
  }
}

function passageOf(headings: readonly Heading[], title: Heading | undefined, text: string): Passage {
  const below = headings.filter((heading) => heading.depth > 1 || heading.text !== title?.text);
  const lines = below.map(({ depth, text: heading }) => `${'#'.repeat(depth)} ${heading.slice(0, headingLengthMax)}`);
  return { headings: below.map((heading) => heading.text), markdown: [...lines, text].join('\n\n') };
}

/** Joins adjacent pieces as long as the result fits into a passage. */
function packed(blocks: readonly Block[]): string[] {
  const texts: string[] = [];
  for (const piece of blocks.flatMap(piecesOf)) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + piece.length + 2 <= lengthMax)
      texts[texts.length - 1] = `${last}\n\n${piece}`;
    else texts.push(piece);
  }
  return texts;
}

/** Returns the block as one piece, or several pieces that each have its head and foot. */
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
  return parts.length === 0 ? [] : pieces.map(frame).filter((text) => text !== '');
}

/** Cuts a long text after a sentence, otherwise at a space, otherwise between characters. */
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
