type Row = Readonly<Record<string, string>>;

/**
 * The table of a page that has these columns, its rows by the names of the columns; of two with one name the last counts.
 * Throws where there is no such table.
 */
export function tableIn(page: string, ...columns: readonly string[]): Row[] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => columns.every((column) => cellsOf(line).includes(column)));
  if (at < 0) throw new Error(`No table has the columns ${columns.join(', ')}.`);
  const [head, , ...below] = lines.slice(at);
  const end = below.findIndex((line) => !line.startsWith('|'));
  return below.slice(0, end < 0 ? undefined : end).map((line) => rowOf(cellsOf(head!), cellsOf(line)));
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const rowOf = (head: readonly string[], cells: readonly string[]): Row =>
  Object.fromEntries(head.map((name, at) => [name, cells[at] ?? '']));

/** Returns the row with these cells; throws if there is none. */
export function rowWith(rows: readonly Row[], cells: Row): Row {
  const found = rows.find((row) => Object.entries(cells).every(([column, cell]) => row[column] === cell));
  if (found === undefined) throw new Error(`No row has ${JSON.stringify(cells)}.`);
  return found;
}

/** Returns the number in a cell; throws if it is not a number. */
export function numberIn(row: Row, column: string): number {
  const value = Number(row[column]?.replaceAll(',', '') || Number.NaN);
  if (Number.isNaN(value)) throw new Error(`${column} of ${JSON.stringify(row)} is no number.`);
  return value;
}

/** A table as `npm run format` leaves it; columns with these names are figures. */
export function alignedTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  figures: ReadonlySet<string>,
) {
  const widths = head.map((name, at) => Math.max(3, name.length, ...rows.map((row) => row[at]!.length)));
  const isFigure = (at: number) => figures.has(head[at]!);
  const rule = widths.map((width, at) => (isFigure(at) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  const padded = (row: readonly string[]) =>
    row.map((cell, at) => (isFigure(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)));
  return [padded(head), rule, ...rows.map(padded)].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Joins sentences into a paragraph with lines of at most 120 characters. */
export function wrapped(...sentences: readonly string[]): string[] {
  return sentences
    .join(' ')
    .split(/ (?!\+ )/) // A line that begins with a plus would be a list.
    .reduce<string[]>((lines, word) => {
      const joined = `${lines.at(-1)} ${word}`;
      return lines.length > 0 && joined.length <= 120 ? [...lines.slice(0, -1), joined] : [...lines, word];
    }, []);
}
