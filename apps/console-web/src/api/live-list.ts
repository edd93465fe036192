import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useAction } from './use-action.ts';
import { queryClient } from './queries.ts';
import { findIdAbove, startRows, meets, type Page, type ReadRows, withMore, withPage } from './read-rows.ts';

interface LiveListOptions<Row> {
  key: readonly [id: string, ...more: unknown[]];
  read: (before: string | undefined, signal?: AbortSignal) => Promise<Page<Row>>;
}

/** Maximum number of rows that a list loads. Filters find older rows. */
const rowsMax = 20_000;

/**
 * Reads a list page by page as it is scrolled, and follows changes. After a change it reads the newest page and the
 * visible page again. Other pages are refreshed only if they are visible at a later change.
 */
export function useLiveList<Row extends { id: string }>({ key, read }: LiveListOptions<Row>) {
  const seen = useRef<{ from: string; to: string }>(undefined);
  const stored = () => queryClient.getQueryData<ReadRows<Row>>(key);
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const newest = await read(undefined, signal);
      const above = findIdAbove(stored(), seen.current, newest);
      const inView = above === undefined ? undefined : await read(above, signal);
      // Reads the cache again, because older rows may have been loaded in the meantime.
      const before = stored();
      if (!before || before.pageCount === 1 || !meets(newest, before)) return startRows(newest);
      const list = withPage(before, undefined, newest);
      return inView ? withPage(list, above, inView) : list;
    },
  });
  const { next = null, rows = [] } = query.data ?? {};
  const more = useAction(async () => {
    if (next === null) return;
    const page = await read(next);
    const list = stored();
    // Drops the page if the list was reset in the meantime.
    if (list?.next === next) queryClient.setQueryData(key, withMore(list, page));
  });
  return {
    query,
    more,
    hasMore: next !== null && rows.length < rowsMax,
    isFull: next !== null && rows.length >= rowsMax,
    see: (from: string, to: string) => void (seen.current = { from, to }),
  };
}

export type LiveList<Row extends { id: string }> = ReturnType<typeof useLiveList<Row>>;
