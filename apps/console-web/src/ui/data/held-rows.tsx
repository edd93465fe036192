import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../controls/button.tsx';
import css from './data.module.css';

interface HeldRowsProps<Row> {
  rows: Row[];
  children: (rows: Row[]) => ReactNode;
}

/**
 * Keeps rows in place while the pointer or the focus is among them. New rows are counted above; they appear on request
 * or when the rows are left. Changes within rows are shown immediately.
 */
export function HeldRows<Row extends { id: string }>({ rows, children }: HeldRowsProps<Row>) {
  const [held, setHeld] = useState<readonly Row[]>();
  const reasons = useRef({ pointer: false, focus: false });
  const attend = (reason: 'pointer' | 'focus', isThere: boolean) => {
    reasons.current[reason] = isThere;
    const { pointer, focus } = reasons.current;
    setHeld((before) => (pointer || focus ? (before ?? rows) : undefined));
  };
  const { shown, newCount, isMore } = held ? merge(held, rows) : { shown: rows, newCount: 0, isMore: false };
  const showNew = () => {
    // Resets the focus here, because the focused button disappears without a blur event.
    reasons.current.focus = false;
    setHeld(reasons.current.pointer ? rows : undefined);
  };
  return (
    <div
      onPointerEnter={() => attend('pointer', true)}
      onPointerLeave={() => attend('pointer', false)}
      onFocus={() => attend('focus', true)}
      onBlur={({ currentTarget, relatedTarget }) => attend('focus', currentTarget.contains(relatedTarget))}
    >
      <div className={css.held} role="status">
        {newCount > 0 && <Button onClick={showNew}>{`${newCount}${isMore ? '+' : ''} new ↑`}</Button>}
      </div>
      {children(shown)}
    </div>
  );
}

/**
 * Returns the held rows with their current values, and the rows after them. All other rows count as new. Held rows that
 * are no longer loaded are removed, except at the end of the list if there are new rows, which may have moved them out
 * of the loaded part. `isMore` is true if no held row is loaded, so there may be more new rows.
 */
function merge<Row extends { id: string }>(held: readonly Row[], rows: readonly Row[]) {
  const now = new Map(rows.map((row) => [row.id, row]));
  const ids = new Set(held.map(({ id }) => id));
  const last = rows.findLastIndex(({ id }) => ids.has(id));
  const behind = last < 0 ? [] : rows.slice(last + 1);
  const hasNew = rows.slice(0, last + 1).some(({ id }) => !ids.has(id));
  const end = last < 0 ? -1 : held.findIndex(({ id }) => id === rows[last]!.id);
  const isKept = ({ id }: Row, at: number) => now.has(id) || (at > end && (hasNew || last < 0));
  const shown = [...held.filter(isKept).map((row) => now.get(row.id) ?? row), ...behind];
  const shownIds = new Set(shown.map(({ id }) => id));
  const newCount = rows.filter(({ id }) => !shownIds.has(id)).length;
  return { shown, newCount, isMore: last < 0 && held.length > 0 };
}
