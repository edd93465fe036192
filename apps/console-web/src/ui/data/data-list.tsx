import { memo, type ReactNode, type RefObject, useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { useShortcut } from '../shortcuts.ts';
import css from './data.module.css';
import { useVisibleRows } from './visible-rows.ts';

interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  isNumber?: boolean;
  isNarrow?: boolean;
  /** Width of the column. Set it for lists that may be long, so that it does not depend on the visible rows. */
  width?: string;
}

interface DataListProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  isDimmed?: (row: Row) => boolean;
  /** True for the row whose details are shown beside the list. */
  isCurrent?: (row: Row) => boolean;
  onSee?: ((first: number, last: number) => void) | undefined;
}

export const rowId = ({ id }: { id: string }): string => id;

/**
 * Rows of a table, or cards on a narrow screen. If the list is long, the page contains only the rows around the
 * visible ones. `j` and `k` focus the first link or button of the next or previous row.
 */
export function DataList<Row>({ label, columns, rows, keyOf, isDimmed, isCurrent, onSee }: DataListProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const keyAt = useCallback((at: number) => keyOf(rows[at]!), [keyOf, rows]);
  const visible = useVisibleRows({ label, count: rows.length, keyOf: keyAt, body, onSee });
  const { focused, setFocused } = visible;
  useRowKeys(body, rows.length, visible);
  useFocusOfBefore(body, visible.before);
  const noteFocus = useFocusOfNext(body, Math.min(focused ?? 0, rows.length - 1));
  const isFixed = columns.some(({ width }) => width !== undefined);
  const isLong = visible.measure !== undefined;
  // Roles are explicit, because `display: block` of the cards removes the implicit ones.
  return (
    <table
      className={css.list}
      role="table"
      aria-label={label}
      aria-rowcount={isLong ? rows.length + 1 : undefined}
      data-fixed={isFixed || undefined}
    >
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ head, isNumber, width }) => (
            <th
              key={head}
              role="columnheader"
              scope="col"
              className={isNumber ? css.number : undefined}
              style={width === undefined ? undefined : { width }}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        ref={body}
        role="rowgroup"
        onFocus={({ target }) => {
          noteFocus(true);
          setFocused(indexOf(target.closest('tr')) ?? focused);
        }}
        onBlur={() => noteFocus(false)}
      >
        {visible.rows.flatMap(({ index, gap }) => [
          gap > 0 && <Gap key={`above ${index}`} height={gap} columns={columns.length} />,
          <DataRow
            key={keyOf(rows[index]!)}
            index={index}
            isNumbered={isLong}
            row={rows[index]!}
            columns={columns as readonly Column<unknown>[]}
            isDimmed={isDimmed?.(rows[index]!) ?? false}
            isCurrent={isCurrent?.(rows[index]!) ?? false}
            measure={visible.measure}
          />,
        ])}
        {visible.gapBelow > 0 && <Gap height={visible.gapBelow} columns={columns.length} />}
      </tbody>
    </table>
  );
}

/**
 * Fills the space of rows that are not in the page. In a fixed layout, `colSpan` must not exceed the number of columns,
 * because it would add columns.
 */
function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr className={css.gap} aria-hidden>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

interface DataRowProps {
  index: number;
  /** True if the page contains only some of the rows, so that each row needs its index. */
  isNumbered: boolean;
  row: unknown;
  columns: readonly Column<unknown>[];
  isDimmed: boolean;
  isCurrent: boolean;
  measure: ((row: HTMLElement | null) => void) | undefined;
}

const DataRow = memo(({ index, isNumbered, row, columns, isDimmed, isCurrent, measure }: DataRowProps) => (
  <tr
    ref={measure}
    role="row"
    data-index={index}
    aria-rowindex={isNumbered ? index + 2 : undefined}
    data-dimmed={isDimmed || undefined}
    aria-current={isCurrent || undefined}
  >
    {columns.map((column) => (
      <Cell key={column.head} column={column} row={row} />
    ))}
  </tr>
));

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const names = [column.isNumber && css.number, column.isNarrow && css.narrow].filter(Boolean).join(' ');
  return (
    <td role="cell" data-head={column.head} className={names || undefined}>
      <div>{column.cell(row)}</div>
    </td>
  );
}

type Body = RefObject<HTMLTableSectionElement | null>;

function useRowKeys(
  body: Body,
  count: number,
  { focused, setFocused }: Pick<ReturnType<typeof useVisibleRows>, 'focused' | 'setFocused'>,
): void {
  const go = (step: 1 | -1) => {
    const active = document.activeElement;
    const from = (body.current?.contains(active) ? indexOf(active!.closest('tr')) : undefined) ?? focused;
    const to = from === undefined ? 0 : Math.min(count - 1, Math.max(0, from + step));
    // The row may not be in the page yet.
    if (!rowAt(body, to)) flushSync(() => setFocused(to));
    const target = firstOf(rowAt(body, to));
    target?.focus({ preventScroll: true });
    target?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  };
  const newest = useEffectEvent(go);
  useEffect(() => {
    if (count === 0) return undefined;
    const list = { rows: body.current!, go: (step: 1 | -1) => newest(step) };
    lists.add(list);
    return () => void lists.delete(list);
  }, [body, count]);
  useShortcut('j', 'Next row', () => listOfKeys()?.go(1));
  useShortcut('k', 'Previous row', () => listOfKeys()?.go(-1));
}

/** The rows of a list, and the function that focuses the next or previous one. */
interface RowKeys {
  rows: Element;
  go: (step: 1 | -1) => void;
}

const lists = new Set<RowKeys>();

/** Returns the list that `j` and `k` move in: the list with the focus, otherwise the first that is not folded. */
function listOfKeys(): RowKeys | undefined {
  const unfolded = [...lists].filter(({ rows }) => rows.closest('details:not([open])') === null);
  const order = (a: RowKeys, b: RowKeys) =>
    a.rows.compareDocumentPosition(b.rows) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  return unfolded.find(({ rows }) => rows.contains(document.activeElement)) ?? unfolded.toSorted(order)[0];
}

/** Focuses the row that had the focus when the list was left, unless an element already has the focus. */
function useFocusOfBefore(body: Body, index: number | undefined): void {
  const isDone = useRef(index === undefined);
  useEffect(() => {
    // The row may not be in the page yet.
    const row = isDone.current ? undefined : rowAt(body, index!);
    if (!row) return;
    isDone.current = true;
    if (document.activeElement === document.body) firstOf(row)?.focus({ preventScroll: true });
  });
}

/**
 * Focuses the next row if the focused row has left the list. Returns a function to call when the list gets or loses the
 * focus. Browsers do not report that a removed element has lost the focus.
 */
function useFocusOfNext(body: Body, index: number): (isThere: boolean) => void {
  const isThere = useRef(false);
  useEffect(() => {
    if (isThere.current && document.activeElement === document.body)
      firstOf(rowAt(body, index))?.focus({ preventScroll: true });
  });
  return (is) => void (isThere.current = is);
}

const rowAt = ({ current }: Body, index: number) => current?.querySelector(`tr[data-index="${index}"]`);

const firstOf = (row: Element | null | undefined) => row?.querySelector<HTMLElement>('a, button');

function indexOf(row: Element | null | undefined): number | undefined {
  const index = row?.getAttribute('data-index');
  return index ? Number(index) : undefined;
}
