export type Row = object;

/** A column: a field of the row, or a heading with a function that returns the cell of a row. */
export type Column<One = Row> = (keyof One & string) | readonly [heading: string, cell: (row: One) => unknown];

const cellCharactersMax = 60;
const nameCharactersMax = 60;

/** Formats a record: a line per field. */
export function recordText(record: Row): string {
  const lines = Object.entries(record).map(([name, value]) => [printable(name), valueText(value)] as const);
  // The limit keeps one long name from moving all values far to the right.
  const width = Math.min(nameCharactersMax, widest(lines.map(([name]) => name)));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Formats rows: a line per row, below the names of the columns. */
export function tableText<One extends Row>(rows: readonly One[], columns: readonly Column<One>[]): string {
  if (rows.length === 0) return 'There are none.';
  const lines = [
    columns.map((column) => (typeof column === 'string' ? column : column[0]).toUpperCase()),
    ...rows.map((row) => columns.map((column) => cellText(typeof column === 'string' ? row[column] : column[1](row)))),
  ];
  const widths = columns.map((_, i) => widest(lines.map((line) => line[i]!)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}

function cellText(value: unknown): string {
  const text = valueText(value);
  return text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax - 1)}…` : text;
}

/** Formats any value on one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value)) return value.length > 0 ? value.map(valueText).join(', ') : '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Indents lines by two spaces. */
export function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${printable(line)}`)
    .join('\n');
}

/** Control and format characters, halves of surrogate pairs, line separators, and everything else that is invisible. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Escapes invisible characters. Stored text must not break the table, control the terminal, or hide anything: text for
 * another program, or a difference between two names that look alike.
 */
export function printable(text: string): string {
  return text.replace(unseen, (character) => escapes[character] ?? escaped(character));
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
