/** A piece of Markdown that reads on its own. What it is cut into are its parts: items, rows, lines of code. */
export interface Block {
  kind: 'paragraph' | 'list' | 'table' | 'code';
  /** The lines before the parts, repeated wherever they are cut: a table's header, the opening of a fence. */
  head: string;
  parts: string[];
  foot: string;
}

interface Heading {
  /** 1 to 6. */
  level: number;
  text: string;
}

/** The blocks below one heading. */
export interface Section {
  /** Those above it, the outermost first. */
  headings: Heading[];
  blocks: Block[];
}

const fencePattern = /^ {0,3}(`{3,}|~{3,})/;
const headingPattern = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const itemPattern = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t])/;
const rulePattern = /^ {0,3}(?:[-*_][ \t]*){3,}$/;
const underlinePattern = /^ {0,3}([=-])\1*[ \t]*$/;
const delimiterPattern = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\||$)/;

/** Takes Markdown apart, in time proportional to its length. Comments are left out; other HTML is text. */
export function readSections(markdown: string): Section[] {
  const lines = withoutComments(markdown).split(/\r\n?|\n/);
  const sections: Section[] = [{ headings: [], blocks: [] }];
  for (let at = 0; at < lines.length;) {
    const heading = readHeading(lines[at]!) ?? readUnderlined(lines[at]!, lines[at + 1]);
    const section = sections.at(-1)!;
    if (heading) {
      sections.push({
        headings: [...section.headings.filter(({ level }) => level < heading.level), heading],
        blocks: [],
      });
      at += lines[at]!.trimStart().startsWith('#') ? 1 : 2;
    } else at = readBlock(lines, at, section.blocks);
  }
  return sections.filter(({ headings, blocks }) => headings.length > 0 || blocks.length > 0);
}

function withoutComments(markdown: string): string {
  const [first = '', ...rest] = markdown.split('<!--');
  return (
    first + rest.map((text) => text.slice(text.indexOf('-->') < 0 ? text.length : text.indexOf('-->') + 3)).join('')
  );
}

function readHeading(line: string): Heading | undefined {
  const marks = headingPattern.exec(line)?.[1];
  if (!marks) return undefined;
  const text = line.trim().slice(marks.length).trim();
  const closing = text.length - trimEnd(text, '#').length;
  return { level: marks.length, text: closing > 0 ? trimEnd(text, '#').trimEnd() : text };
}

/** A heading may also be a line of its own with a line of = or - below it. */
function readUnderlined(line: string, next = ''): Heading | undefined {
  const underline = underlinePattern.exec(next)?.[1];
  if (!underline || line.trim() === '' || line.includes('|') || startsBlock(line)) return undefined;
  return { level: underline === '=' ? 1 : 2, text: line.trim() };
}

function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}

/** Reads what begins at a line and says at which line it has ended. */
function readBlock(lines: string[], at: number, blocks: Block[]): number {
  const line = lines[at]!;
  if (line.trim() === '' || rulePattern.test(line)) return at + 1;
  const fence = fencePattern.exec(line)?.[1];
  if (fence) return readCode(lines, at, fence, blocks);
  if (itemPattern.test(line)) return readList(lines, at, blocks);
  if (line.includes('|') && delimiterPattern.test(lines[at + 1] ?? '')) return readTable(lines, at, blocks);
  return readParagraph(lines, at, blocks);
}

function readCode(lines: string[], from: number, fence: string, blocks: Block[]): number {
  let at = from + 1;
  while (at < lines.length && !lines[at]!.trim().startsWith(fence)) at += 1;
  blocks.push({ kind: 'code', head: lines[from]!, parts: lines.slice(from + 1, at), foot: fence });
  return at + 1;
}

function readTable(lines: string[], from: number, blocks: Block[]): number {
  let at = from + 2;
  while (at < lines.length && lines[at]!.trim() !== '' && lines[at]!.includes('|')) at += 1;
  const [header = '', delimiter = '', ...rows] = lines.slice(from, at).map((line) => line.trim());
  blocks.push({ kind: 'table', head: `${header}\n${delimiter}`, parts: rows, foot: '' });
  return at;
}

/** What is indented, nested items included, belongs to the item above it. */
function readList(lines: string[], from: number, blocks: Block[]): number {
  const items: string[][] = [];
  const nested = indentOf(lines[from]!) + 2;
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (itemPattern.test(line) && !rulePattern.test(line) && indentOf(line) < nested) items.push([line.trim()]);
    else if (line.trim() === '') {
      const next = lines[at + 1] ?? '';
      if (!/^[ \t]/.test(next) && !itemPattern.test(next)) break;
    } else if (/^[ \t]/.test(line) || !startsBlock(line)) items.at(-1)!.push(line.trimEnd());
    else break;
  }
  blocks.push({ kind: 'list', head: '', parts: items.map((item) => item.join('\n')), foot: '' });
  return at;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function readParagraph(lines: string[], from: number, blocks: Block[]): number {
  let at = from + 1;
  while (at < lines.length && lines[at]!.trim() !== '' && !startsBlock(lines[at]!)) at += 1;
  const text = lines.slice(from, at).map((line) => line.trim());
  blocks.push({ kind: 'paragraph', head: '', parts: [text.join('\n')], foot: '' });
  return at;
}

function startsBlock(line: string): boolean {
  return fencePattern.test(line) || headingPattern.test(line) || itemPattern.test(line) || rulePattern.test(line);
}
