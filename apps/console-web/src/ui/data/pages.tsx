import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asFailure } from '../../api/failure.ts';
import { Button } from '../controls/button.tsx';
import css from './data.module.css';
import { type Noun, shownText } from './count.ts';
import { Skeleton } from './empty.tsx';
import { HeldRows } from './held-rows.tsx';
import { ErrorAlert } from './error-alert.tsx';

interface ListPage<Row> {
  data: Row[];
  has_more: boolean;
}

/** A page of events. It may have no match even if more pages follow. */
interface EventsPage {
  next_cursor: string;
  has_more: boolean;
}

/** Page parameters of a list, newest first; `before` is the id of the last row of a page. */
export const pageParams = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ data, has_more }: ListPage<{ id: string }>) => (has_more ? data.at(-1)?.id : undefined),
};

export const eventPageParams = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor, has_more }: EventsPage) => (has_more ? next_cursor : undefined),
};

export const cursorPageParams = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor ?? undefined,
};

interface LoadedPagesProps<Row> {
  query: UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;
  noun: Noun;
  empty: ReactNode;
  children: (rows: Row[]) => ReactNode;
}

/** The loaded pages as one list, with a button for the next page. */
export function LoadedPages<Row extends { id: string }>({ query, noun, empty, children }: LoadedPagesProps<Row>) {
  // A new filter starts a new list. Opening a row (`id`) does not.
  const list = useLocation({
    select: ({ pathname, search }) => JSON.stringify([pathname, { ...search, id: undefined }]),
  });
  if (!query.data) {
    if (query.error) return <ErrorAlert failure={asFailure(query.error)} onRetry={() => void query.refetch()} />;
    return <Skeleton lines={12} />;
  }
  const rows = query.data.pages.flatMap(({ data }) => data);
  if (rows.length === 0 && !query.hasNextPage) return empty;
  return (
    <>
      <HeldRows key={list} rows={rows}>
        {children}
      </HeldRows>
      <footer className={css.more}>
        {query.isFetchNextPageError && <ErrorAlert failure={asFailure(query.error)} />}
        {query.hasNextPage && (
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older
          </Button>
        )}
        {rows.length === 0 && <span>No matches so far.</span>}
        <span>{shownText(rows.length, noun, query.hasNextPage)}</span>
      </footer>
    </>
  );
}
