import { type ReactNode, useEffect, useRef } from 'react';
import { type ApiFailure, asFailure, placedText } from '../../api/failure.ts';
import type { LiveList } from '../../api/live-list.ts';
import { Button } from '../controls/button.tsx';
import css from './data.module.css';
import { type Noun, shownText } from './count.ts';
import { Skeleton } from './empty.tsx';
import { HeldRows } from './held-rows.tsx';
import { ErrorAlert } from './error-alert.tsx';

/** Number of rows below the visible ones at which the next page is read. Holding `j` for a second moves this far. */
const aheadRows = 60;

export type OnSee = (first: number, last: number) => void;

interface LiveRowsProps<Row extends { id: string }> {
  list: LiveList<Row>;
  noun: Noun;
  empty: ReactNode;
  children: (rows: Row[], onSee: OnSee) => ReactNode;
}

export function LiveRows<Row extends { id: string }>({ list, noun, empty, children }: LiveRowsProps<Row>) {
  const { query, hasMore } = list;
  if (!query.data) {
    if (query.error) return <Refusal failure={asFailure(query.error)} onRetry={() => void query.refetch()} />;
    return <Skeleton lines={12} />;
  }
  const { rows } = query.data;
  if (rows.length === 0 && !hasMore) return empty;
  return (
    <>
      <HeldRows rows={rows}>{(held) => <Shown rows={held} list={list} render={children} />}</HeldRows>
      <End list={list} noun={noun} />
    </>
  );
}

/** Shows a failure with the details of each field, because a filter in the address may be invalid. */
function Refusal({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  return <ErrorAlert failure={failure} more={failure.details.map(placedText)} onRetry={onRetry} />;
}

interface ShownProps<Row extends { id: string }> {
  rows: Row[];
  list: LiveList<Row>;
  render: LiveRowsProps<Row>['children'];
}

function Shown<Row extends { id: string }>({ rows, list, render }: ShownProps<Row>) {
  const lastSeen = useRef(0);
  const { hasMore, more, query } = list;
  const isWanted = () =>
    hasMore && !more.isBusy && !more.failure && !query.data?.isDry && lastSeen.current >= rows.length - aheadRows;
  const onSee: OnSee = (first, last) => {
    lastSeen.current = last;
    if (rows[first] && rows[last]) list.see(rows[first].id, rows[last].id);
    if (isWanted()) void more.attempt();
  };
  useEffect(() => {
    if (rows.length > aheadRows && isWanted()) void more.attempt();
  });
  return render(rows, onSee);
}

function End<Row extends { id: string }>({ list, noun }: Pick<LiveRowsProps<Row>, 'noun'> & { list: LiveList<Row> }) {
  const { query, more, hasMore, isFull } = list;
  const { rows, isDry } = query.data!;
  return (
    <footer className={css.more}>
      {more.failure && <ErrorAlert failure={more.failure} />}
      {hasMore && (
        <Button isBusy={more.isBusy} onClick={() => void more.attempt()}>
          Show older
        </Button>
      )}
      {isDry && hasMore && <span>No matches so far.</span>}
      {isFull && <span>More rows match. Narrow the list by time or with a filter.</span>}
      <span>{shownText(rows.length, noun, hasMore || isFull)}</span>
    </footer>
  );
}
