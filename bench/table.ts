import { count, markdownTable, yesOrNo } from '@relata/testbed/markdown';

/** Head of a column, and a function that returns the column's cell of a row. */
type Column<Row> = readonly [head: string, cell: (row: Row) => string];

/** Returns a table as Markdown; the first column is text. */
export function tableOf<Row>(rows: readonly Row[], ...columns: readonly Column<Row>[]): string {
  return markdownTable(
    columns.map(([head]) => head),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );
}

/** Target for the resident memory of an app, in megabytes. */
export const residentMegabytesMax = 200;

/** Returns a sentence on the maximum resident memory, in bytes. */
export function memoryLine(what: string, bytes: number | undefined): string {
  if (bytes === undefined) return 'Resident memory is only known on Linux.';
  const megabytes = bytes / 1e6;
  const holds = yesOrNo(megabytes < residentMegabytesMax);
  return `Peak resident memory of ${what} under this load: ${count(megabytes)} MB (target: under ${residentMegabytesMax} MB, met: ${holds}).`;
}
