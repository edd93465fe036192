import { type Block, readSections, type Section } from '../knowledge/markdown.blocks.ts';
import { termsOf } from '../knowledge/terms.ts';

/** One thing that a page says: a sentence, an item of a list, a row of a table. */
export interface Statement {
  /** Markdown in one line. */
  text: string;
  terms: ReadonlySet<string>;
}

/** Statements that stand together on the page: a paragraph, a list or a table, steps that are numbered. */
export interface Statements {
  kind: 'paragraph' | 'list' | 'steps';
  /** What the statements of a list are, where the page says it: the sentence before it, else the heading above. */
  lead: string;
  /** The terms of the headings above and of the lead. */
  about: ReadonlySet<string>;
  all: Statement[];
}

/** Passages that are remembered; they come from the knowledge base and so come again. */
const rememberedMax = 2_000;

/** Makes a reader of passages that takes each apart only once, as long as it remembers it. */
export function statementReader(): (passage: string) => readonly Statements[] {
  const remembered = new Map<string, Statements[]>();
  return (passage) => {
    const known = remembered.get(passage);
    if (known) return known;
    const read = readSections(passage).flatMap(statementsOf);
    if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value!);
    remembered.set(passage, read);
    return read;
  };
}

function statementsOf({ headings, blocks }: Section): Statements[] {
  return blocks.flatMap((block, i): Statements[] => {
    const all = textsOf(block).map((text) => ({ text, terms: new Set(termsOf(text)) }));
    if (all.length === 0 || isLead(block, blocks[i + 1])) return [];
    const lead = leadOf(blocks[i - 1]) ?? headings.at(-1)?.text ?? '';
    const about = new Set(termsOf([...headings.map(({ text }) => text), lead].join('\n')));
    return [{ kind: kindOf(block), lead, about, all }];
  });
}

/** A paragraph that ends with a colon belongs to what it announces. */
function leadOf(before: Block | undefined): string | undefined {
  const text = before?.kind === 'paragraph' ? before.parts.join('\n').trimEnd() : '';
  return text.endsWith(':') ? oneLine(text.slice(0, -1)) : undefined;
}

function isLead(block: Block, next: Block | undefined): boolean {
  return leadOf(block) !== undefined && (next?.kind === 'list' || next?.kind === 'table');
}

function kindOf({ kind, parts }: Block): Statements['kind'] {
  if (kind === 'paragraph') return 'paragraph';
  return kind === 'list' && /^\d/.test(parts[0] ?? '') ? 'steps' : 'list';
}

/** Code answers no question in words and is left out. */
function textsOf({ kind, head, parts }: Block): string[] {
  switch (kind) {
    case 'paragraph':
      return parts.flatMap(sentencesOf);
    case 'list':
      return parts.map((item) => oneLine(item.replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+/, '')));
    case 'table':
      return rowsOf(head, parts);
    case 'code':
      return [];
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(paragraph: string): string[] {
  return Array.from(segmenter.segment(oneLine(paragraph)), ({ segment }) => segment.trim()).filter(Boolean);
}

/** A row as a sentence: the first cell, then each further one with the header of its column. */
function rowsOf(head: string, rows: readonly string[]): string[] {
  const [, ...headers] = cellsOf(head.split('\n')[0] ?? '');
  return rows.map((row) => {
    const [first = '', ...cells] = cellsOf(row);
    const named = cells.map((cell, i) => (headers[i] && cell ? `${headers[i]}: ${cell}` : cell)).filter(Boolean);
    return oneLine([`**${first.replaceAll('**', '')}**`, named.join('; ')].filter(Boolean).join(' – '));
  });
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** A number in brackets would pass for a mark of the answer's own. */
function oneLine(text: string): string {
  return text
    .replace(/\[\d{1,3}\](?!\()/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
