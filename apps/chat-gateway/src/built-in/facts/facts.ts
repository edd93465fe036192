import { type Block, readSections, type Section, termsOf } from '@relata/knowledge';

/** One thing that a page says: a sentence, an item of a list, a row of a table. */
export interface Fact {
  /** Markdown in one line. */
  text: string;
  terms: ReadonlySet<string>;
  /** The terms of what a fact is about: the first cell of a row, or bold words at its beginning; else none. */
  name: ReadonlySet<string>;
}

/** Facts that belong together on the page: a paragraph, a list or a table, steps that are numbered. */
export interface FactBlock {
  kind: 'paragraph' | 'list' | 'steps' | 'table';
  /** A table's two lines above its rows; empty for what is no table. */
  head: string;
  /** What the facts of a list are, where the page says it: the sentence before it, else the heading above. */
  lead: string;
  /** The terms of the heading right above. */
  heading: ReadonlySet<string>;
  /** The terms of all headings above, of the lead and of a table's header. */
  about: ReadonlySet<string>;
  all: Fact[];
}

/** Passages whose facts are cached: they come from the knowledge base, so that the same ones come again. */
const cachedMax = 2_000;

/** Makes a reader of passages. It parses each passage once, for as long as the passage is in its cache. */
export function factReader(): (passage: string) => readonly FactBlock[] {
  const cache = new Map<string, FactBlock[]>();
  return (passage) => {
    const known = cache.get(passage);
    if (known) return known;
    const read = readSections(passage).flatMap(factsOf);
    if (cache.size >= cachedMax) cache.delete(cache.keys().next().value!);
    cache.set(passage, read);
    return read;
  };
}

function factsOf({ headings, blocks }: Section): FactBlock[] {
  return blocks.flatMap((block, i): FactBlock[] => {
    const all = textsOf(block).map((text) => factOf(text, block.kind));
    if (all.length === 0 || isLead(block, blocks[i + 1])) return [];
    const lead = leadOf(blocks[i - 1]) ?? headings.at(-1)?.text ?? '';
    const about = new Set(termsOf([...headings.map(({ text }) => text), lead, block.head].join('\n')));
    const heading = new Set(termsOf(headings.at(-1)?.text ?? ''));
    return [{ kind: kindOf(block), head: headOf(block), lead, heading, about, all }];
  });
}

function factOf(text: string, kind: Block['kind']): Fact {
  const name = kind === 'table' ? cellsOf(text)[0] : /^\*\*([^*]+)\*\*/.exec(text)?.[1];
  return { text, terms: new Set(termsOf(text)), name: new Set(termsOf(name ?? '')) };
}

/** A paragraph that ends with a colon belongs to what it announces. */
function leadOf(before: Block | undefined): string | undefined {
  const text = before?.kind === 'paragraph' ? before.parts.join('\n').trimEnd() : '';
  return text.endsWith(':') ? oneLine(text.slice(0, -1)) : undefined;
}

function isLead(block: Block, next: Block | undefined): boolean {
  return leadOf(block) !== undefined && (next?.kind === 'list' || next?.kind === 'table');
}

function kindOf({ kind, parts }: Block): FactBlock['kind'] {
  if (kind === 'paragraph' || kind === 'table') return kind;
  return kind === 'list' && /^\d/.test(parts[0] ?? '') ? 'steps' : 'list';
}

/** Code is left out, since it answers no question in words. */
function textsOf({ kind, parts }: Block): string[] {
  switch (kind) {
    case 'paragraph':
      return parts.flatMap(sentencesOf);
    case 'list':
      return parts.map((item) => oneLine(item.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+/, '')));
    case 'table':
      return parts.map(rowOf);
    case 'code':
      return [];
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** What is emphasized is not parted: "_Forgot password?_ is a link" is one sentence. */
function sentencesOf(paragraph: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(oneLine(paragraph))) {
    open += segment;
    if (isOpen(open)) continue;
    sentences.push(open.trim());
    open = '';
  }
  return [...sentences, open.trim()].filter(Boolean);
}

function isOpen(text: string): boolean {
  return (text.match(/(?<![\p{L}\p{N}])[_*`]|[_*`](?![\p{L}\p{N}])/gu)?.length ?? 0) % 2 === 1;
}

function headOf({ kind, head }: Block): string {
  if (kind !== 'table') return '';
  const cells = cellsOf(head.split('\n')[0] ?? '');
  return `${rowOf(head.split('\n')[0] ?? '')}\n| ${cells.map(() => '---').join(' | ')} |`;
}

function rowOf(row: string): string {
  return `| ${cellsOf(row).map(oneLine).join(' | ')} |`;
}

/** A bar within a cell stays escaped. */
function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** A number in brackets would pass for a mark of the answer's own. */
function oneLine(text: string): string {
  return text
    .replace(/\[\d{1,3}\](?!\()/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
