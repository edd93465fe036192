import { type ReactNode, useRef } from 'react';
import { useAct } from '../acts.ts';
import css from './data.module.css';

interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Only as wide as it needs to be. */
  isNarrow?: boolean;
}

interface DataListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isDimmed?: (row: Row) => boolean;
  /** The row whose details are shown beside the list. */
  isCurrent?: (row: Row) => boolean;
}

/** Rows of a table; on a narrow screen cards. `j` and `k` go from row to row, by the first link or button of each. */
export function DataList<Row>({ label, columns, rows, keyOf, isDimmed, isCurrent }: DataListProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  useAct('j', 'Next row', () => focusRow(body.current, 1));
  useAct('k', 'Previous row', () => focusRow(body.current, -1));
  // The roles are said, as `display: block` of the cards takes them from the elements.
  return (
    <table className={css.list} role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, isNumber }) => (
            <th key={head} role="columnheader" scope="col" className={isNumber ? css.number : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            role="row"
            data-dimmed={isDimmed?.(row) || undefined}
            aria-current={isCurrent?.(row) || undefined}
          >
            {columns.map((column) => (
              <Cell key={column.head} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const names = [column.isNumber && css.number, column.isNarrow && css.narrow].filter(Boolean).join(' ');
  return (
    <td role="cell" data-head={column.head} className={names || undefined}>
      <div>{column.cell(row)}</div>
    </td>
  );
}

function focusRow(body: HTMLElement | null, step: 1 | -1): void {
  const rows = [...(body?.querySelectorAll<HTMLElement>('tr') ?? [])];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step));
  const target = rows[next]?.querySelector<HTMLElement>('a, button');
  target?.focus();
  target?.scrollIntoView({ block: 'nearest' });
}
